extension JSONValue {
  /// The first number in the value that JSON cannot represent (`NaN` or an infinity), by its name in expressions, and
  /// its path, such as `limits.max` or `[2]` (empty for the value itself). Nil if there is none.
  package var numberBeyondJSON: (number: String, place: String)? {
    switch self {
    case .double(let number) where !number.isFinite:
      return (number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity", "")
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        if let (number, place) = element.numberBeyondJSON { return (number, Self.joined("[\(index)]", place)) }
      }
      return nil
    case .object(let members):
      for (name, member) in members {
        if let (number, place) = member.numberBeyondJSON { return (number, Self.joined(name, place)) }
      }
      return nil
    default: return nil
    }
  }

  /// The result of ``numberBeyondJSON`` as the end of a sentence: `has NaN at 'limits.max', which is no number of JSON`.
  package var problemBeyondJSON: String? {
    numberBeyondJSON.map {
      "has \($0.number)\($0.place.isEmpty ? "" : " at '\($0.place)'"), which is not a number of JSON"
    }
  }

  private static func joined(_ outer: String, _ inner: String) -> String {
    inner.isEmpty || inner.hasPrefix("[") ? outer + inner : "\(outer).\(inner)"
  }
}
