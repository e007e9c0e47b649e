/// The reason why a text is not a type.
public struct TypeNotationError: Error, Sendable, Hashable {
  /// The problem, as one sentence without a full stop.
  public var message: String
  /// The position of the problem, as the number of Unicode scalars before it.
  public var offset: Int
  /// A suggested fix, such as `did you mean 'string'?`.
  public var fix: String?

  /// Creates the failure `message` at `offset`.
  public init(_ message: String, offset: Int, fix: String? = nil) {
    self.message = message
    self.offset = offset
    self.fix = fix
  }
}

extension ValueType: CustomStringConvertible {
  /// The types that are written as one word, in the order of the documentation.
  private static let named: [(name: String, type: ValueType)] = [
    ("string", .string), ("int", .int), ("number", .number), ("bool", .bool), ("duration", .duration), ("size", .size),
    ("timestamp", .timestamp), ("date", .date), ("json", .json), ("none", .none), ("file", .file),
  ]

  /// The names of the types that are written as one word, in the order of the documentation.
  public static let names: [String] = named.map(\.name)

  /// Creates the type called `name`, such as `int`; nil for any other text, including lists and objects.
  public init?(name: String) {
    guard let type = ValueType.named.first(where: { $0.name == name })?.type else { return nil }
    self = type
  }

  /// Parses the notation: a name, `[T]`, or `{field: T, optional?: T}`.
  ///
  /// A field's name is a word (letters, digits, `_`, `-`) or is enclosed in single or double quotes.
  /// - Throws: `TypeNotationError` for anything else, for a duplicate field, and for more than 64 levels of nesting.
  public static func parse(_ text: String) throws(TypeNotationError) -> ValueType {
    var reader = TypeNotationReader(text: Array(text.unicodeScalars))
    return try reader.whole()
  }

  /// The type in its own notation, such as `[{tag: string, draft?: bool}]`.
  public var description: String {
    switch self {
    case .list(let element): "[\(element)]"
    case .object(let fields):
      "{"
        + fields.map { "\(ValueType.spelling(ofField: $0.name))\($0.isOptional ? "?" : ""): \($0.type)" }.joined(
          separator: ", ") + "}"
    default: ValueType.named.first { $0.type == self }?.name ?? "json"
    }
  }

  private static func spelling(ofField name: String) -> String {
    let isWord = !name.isEmpty && name.unicodeScalars.allSatisfy { TypeNotationReader.isWordScalar($0) }
    return isWord ? name : JSONValue.string(name).text
  }
}

/// A parser that makes one pass over the scalars of a type's notation.
private struct TypeNotationReader {
  /// The deepest nesting allowed; without a limit, hostile texts could exhaust the stack.
  static let maximumDepth = 64

  let text: [Unicode.Scalar]
  var at = 0

  static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  mutating func whole() throws(TypeNotationError) -> ValueType {
    let type = try type(depth: 0)
    skipSpace()
    guard at == text.count else { throw TypeNotationError("unexpected \(found) after the type", offset: at) }
    return type
  }

  private var current: Unicode.Scalar? { at < text.count ? text[at] : nil }

  private var found: String { current.map { "'\(Character($0))'" } ?? "end" }

  private mutating func skipSpace() {
    while let scalar = current, scalar.properties.isWhitespace { at += 1 }
  }

  private mutating func type(depth: Int) throws(TypeNotationError) -> ValueType {
    skipSpace()
    guard depth < Self.maximumDepth else { throw TypeNotationError("nested more than 64 levels deep", offset: at) }
    switch current {
    case "[":
      at += 1
      let element = try type(depth: depth + 1)
      skipSpace()
      guard current == "]" else { throw TypeNotationError("unexpected \(found), expected ']'", offset: at) }
      at += 1
      return .list(element)
    case "{":
      at += 1
      return .object(try fields(depth: depth))
    default:
      let start = at
      let name = word()
      guard !name.isEmpty else {
        throw TypeNotationError("unexpected \(found), expected a type", offset: at, fix: "a type is \(Self.choices)")
      }
      guard let type = ValueType(name: name) else {
        let near = Self.otherNames[name.lowercased()] ?? NearestName.suggestion(for: name, among: ValueType.names)
        throw TypeNotationError(
          "unknown type '\(name)'", offset: start,
          fix: near.map { "did you mean '\($0)'?" } ?? "a type is \(Self.choices)")
      }
      return type
    }
  }

  private static let choices = "one of \(ValueType.names.joined(separator: ", ")), [T] or {field: T}"

  /// The names of these types in other languages.
  private static let otherNames = [
    "integer": "int", "float": "number", "double": "number", "boolean": "bool", "str": "string", "text": "string",
    "any": "json", "object": "json", "null": "none", "void": "none", "datetime": "timestamp", "time": "timestamp",
    "day": "date", "path": "file", "bytes": "size",
  ]

  private mutating func word() -> String {
    var name = ""
    while let scalar = current, Self.isWordScalar(scalar) {
      name.unicodeScalars.append(scalar)
      at += 1
    }
    return name
  }

  private mutating func fields(depth: Int) throws(TypeNotationError) -> [ValueType.Field] {
    var fields: [ValueType.Field] = []
    var names: Set<String> = []
    while true {
      skipSpace()
      if current == "}" {
        at += 1
        return fields
      }
      let start = at
      let name = try fieldName()
      guard names.insert(name).inserted else {
        throw TypeNotationError("the field '\(name)' is written twice", offset: start)
      }
      skipSpace()
      let isOptional = current == "?"
      if isOptional {
        at += 1
        skipSpace()
      }
      guard current == ":" else { throw TypeNotationError("unexpected \(found), expected ':'", offset: at) }
      at += 1
      fields.append(ValueType.Field(name: name, type: try type(depth: depth + 1), isOptional: isOptional))
      skipSpace()
      if current == "," {
        at += 1
      } else if current != "}" {
        throw TypeNotationError("unexpected \(found), expected ',' or '}'", offset: at)
      }
    }
  }

  private mutating func fieldName() throws(TypeNotationError) -> String {
    guard let quote = current, quote == "'" || quote == "\"" else {
      let name = word()
      guard !name.isEmpty else {
        throw TypeNotationError("unexpected \(found), expected the name of a field", offset: at)
      }
      return name
    }
    let start = at
    at += 1
    var name = ""
    while let scalar = current {
      at += 1
      if scalar == quote { return name }
      if scalar == "\\", quote == "\"", let escaped = current {
        at += 1
        name.unicodeScalars.append(escaped)
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    throw TypeNotationError("the field's name is not closed", offset: start)
  }
}
