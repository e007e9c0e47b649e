/// Where and how a value does not match a type.
public struct TypeMismatch: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path into the value, such as `[3].tag`; empty for the value itself.
  public var path: String
  /// What the type requires, such as `int`.
  public var expected: String
  /// What was found instead, such as `string "twelve"` or `nothing`.
  public var found: String

  /// Creates a mismatch at `path`.
  public init(path: String, expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// The mismatch as a sentence, such as `[3].tag: expected int, found string "x"`.
  public var description: String {
    path.isEmpty ? "expected \(expected), found \(found)" : "\(path): expected \(expected), found \(found)"
  }
}

extension ValueType {
  /// Returns the first place where `value` does not match this type, or nil if it matches.
  ///
  /// Members that an object type does not name are allowed. A whole double is an `int`. `none` accepts only null, `json` everything. Durations, sizes,
  /// timestamps, dates and files are strings of the right form; a whole number of bytes is also a size, and 0 is also a duration.
  public func mismatch(of value: JSONValue) -> TypeMismatch? {
    switch (self, value) {
    case (.json, _), (.string, .string), (.number, .int), (.number, .double), (.int, .int), (.bool, .bool),
      (.none, .null),
      (.duration, .int(0)):
      return nil
    case (.int, .double(let number)) where Int64(exactly: number) != nil: return nil
    case (.size, .int(let bytes)) where bytes >= 0: return nil
    case (.duration, .string(let text)) where DurationNotation.parse(text) != nil: return nil
    case (.size, .string(let text)) where SizeNotation.parse(text) != nil: return nil
    case (.timestamp, .string(let text)) where TimestampNotation.parse(text) != nil: return nil
    case (.date, .string(let text)) where DateNotation.parse(text) != nil: return nil
    case (.file, .string(let text)) where !text.isEmpty && !text.utf8.contains(0): return nil
    case (.list(let element), .array(let elements)):
      for (index, value) in elements.enumerated() {
        if let mismatch = element.mismatch(of: value) { return mismatch.below("[\(index)]") }
      }
      return nil
    case (.object(let fields), .object(let members)):
      for field in fields {
        let value = members[field.name] ?? .null
        if value.isNull, field.isOptional || field.type == .none || field.type == .json && members[field.name] != nil {
          continue
        }
        if members[field.name] == nil {
          return TypeMismatch(path: ValueType.step(to: field.name), expected: "\(field.type)", found: "nothing")
        }
        if let mismatch = field.type.mismatch(of: value) { return mismatch.below(ValueType.step(to: field.name)) }
      }
      return nil
    case (.duration, .string(let text)) where DurationNotation.isTooLong(text):
      return TypeMismatch(
        path: "", expected: "duration of at most \(DurationNotation.longest)", found: ValueType.summary(of: value))
    default: return TypeMismatch(path: "", expected: description, found: ValueType.summary(of: value))
    }
  }

  /// Returns the path component for the member `name`: `.name`, or `["a name"]` if it is not a word.
  package static func step(to name: String) -> String {
    let isWord = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): index > 0
      default: false
      }
    }
    return isWord && !name.isEmpty ? ".\(name)" : "[\(JSONValue.string(name).text)]"
  }

  /// Returns a short description of a value for messages: the beginning of a scalar, the kind of a list or an object.
  private static func summary(of value: JSONValue) -> String {
    switch value {
    case .null, .array, .object: return value.kind
    case .string(let text) where text.unicodeScalars.prefix(41).count > 40:
      return "string " + JSONValue.string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))) + "…").text
    default: return "\(value.kind) \(value.text)"
    }
  }
}

extension TypeMismatch {
  fileprivate func below(_ step: String) -> TypeMismatch {
    TypeMismatch(path: step + path, expected: expected, found: found)
  }
}
