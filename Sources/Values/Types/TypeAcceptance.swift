/// Whether every value of one type is also a value of another.
public enum Acceptance: Sendable, Hashable {
  /// Every value of the one is a value of the other.
  case yes
  /// No value is, or only some are; the reason names the place, such as `[].tag: expected int, found string`.
  case no(reason: String)
  /// It depends on the value: one of the types is `json`, or a plain string is given where a particular form is required.
  case unknown
}

extension ValueType {
  /// Returns whether a value of type `other` can be used where this type is required.
  ///
  /// An `int` is a `number`; durations, sizes, timestamps, dates and files are strings. A list or an object is accepted
  /// if its parts are; an object may have more fields than required.
  public func accepts(_ other: ValueType) -> Acceptance {
    switch compare(other, path: "") {
    case .yes: .yes
    case .no(let reason): .no(reason: reason.hasPrefix(": ") ? String(reason.dropFirst(2)) : reason)
    case .unknown: .unknown
    }
  }

  private func compare(_ other: ValueType, path: String) -> Acceptance {
    switch (self, other) {
    case (.json, _), (.number, .int): return .yes
    case (_, .json): return .unknown
    case (.string, .duration), (.string, .size), (.string, .timestamp), (.string, .date), (.string, .file):
      return .yes
    case (.duration, .string), (.size, .string), (.timestamp, .string), (.date, .string), (.file, .string):
      return .unknown
    case (.size, .int): return .unknown
    case (.list(let element), .list(let otherElement)): return element.compare(otherElement, path: path + "[]")
    case (.object(let fields), .object(let otherFields)):
      var result = Acceptance.yes
      for field in fields {
        let place = path + ValueType.step(to: field.name)
        guard let otherField = otherFields.first(where: { $0.name == field.name }) else {
          if field.isOptional { continue }
          return .no(reason: "\(place): expected \(field.type), found nothing")
        }
        if otherField.isOptional, !field.isOptional {
          return .no(reason: "\(place): expected \(field.type), which may be missing")
        }
        switch field.type.compare(otherField.type, path: place) {
        case .yes: break
        case .unknown: result = .unknown
        case .no(let reason): return .no(reason: reason)
        }
      }
      return result
    default:
      return self == other ? .yes : .no(reason: "\(path): expected \(self), found \(other)")
    }
  }

  /// Returns the type of the member `name` of an object type, or nil if there is none. `json` has every member, of type `json`.
  public func member(_ name: String) -> ValueType? {
    switch self {
    case .json: .json
    case .object(let fields): fields.first { $0.name == name }?.type
    default: nil
    }
  }
}
