import Values

/// The constraints of a parameter in addition to its type.
enum ParameterRule {
  /// Returns the problem with `value`, as the end of a sentence: `must be at least 1, found 0`. Nil if there is none.
  static func problem(with value: JSONValue, for parameter: PipelineDefinition.Parameter) -> String? {
    if let mismatch = parameter.type.mismatch(of: value) { return "has the wrong type: \(mismatch)" }
    // The params of a run are stored as JSON.
    if let problem = value.problemBeyondJSON { return problem }
    if let number = value.doubleValue {
      if let minimum = parameter.minimum, number < minimum {
        return "must be at least \(JSONValue.double(minimum).text), found \(value.text)"
      }
      if let maximum = parameter.maximum, number > maximum {
        return "must be at most \(JSONValue.double(maximum).text), found \(value.text)"
      }
    }
    if let choices = parameter.choices, !choices.contains(where: { isSame($0, value) }) {
      let words = choices.map { $0.stringValue ?? $0.text }.joined(separator: ", ")
      return "must be one of \(words), found \(shown(value))"
    }
    if let pattern = parameter.pattern, let text = value.stringValue, let compiled = try? TextPattern(pattern),
      !compiled.matchesWhole(text)
    {
      return "must match the pattern \(pattern), found \(shown(value))"
    }
    return nil
  }

  private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if left == right { return true }
    // 1 and 1.0 are the same number.
    guard let left = left.doubleValue, let right = right.doubleValue else { return false }
    return left == right
  }

  private static func shown(_ value: JSONValue) -> String {
    let text = value.stringValue.map { "'\($0)'" } ?? value.text
    return text.count > 60 ? text.prefix(57) + "…" : text
  }
}
