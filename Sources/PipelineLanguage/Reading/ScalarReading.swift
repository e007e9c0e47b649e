import Values

extension DocumentReader {
  /// Returns the text of a scalar, as written; `what` names it in messages.
  func text(_ node: YAMLNode, _ what: String) -> String? {
    guard !node.isFaulty else { return nil }
    guard let text = node.text, !isNull(node) else {
      wrongForm(node, what, needs: "a text")
      return nil
    }
    return text
  }

  /// Returns the text of a scalar in which expressions are not allowed.
  func plainText(_ node: YAMLNode, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    if let offset = Self.expressionOffset(in: text) {
      error(
        .expressionNotAllowed, "\(what) cannot contain an expression: it is read before anything runs",
        at: range(in: node, offset: offset, length: 3))
      return nil
    }
    return text
  }

  func bool(_ node: YAMLNode, _ what: String) -> Bool? {
    if case .bool(let value)? = node.coreScalar { return value }
    wrongForm(node, what, needs: "true or false")
    return nil
  }

  /// Reads an integer of at least `minimum`.
  func int(_ node: YAMLNode, _ what: String, minimum: Int, maximum: Int = .max) -> Int? {
    guard case .int(let value)? = node.coreScalar else {
      wrongForm(node, what, needs: "a whole number")
      return nil
    }
    guard let number = Int(exactly: value), number >= minimum, number <= maximum else {
      let bounds = maximum == .max ? "at least \(minimum)" : "from \(minimum) to \(maximum)"
      error(.outOfRange, "\(what) must be \(bounds), found \(value)", at: node.range)
      return nil
    }
    return number
  }

  func number(_ node: YAMLNode, _ what: String) -> Double? {
    switch node.coreScalar {
    case .int(let value): return Double(value)
    case .double(let value) where value.isFinite: return value
    default:
      wrongForm(node, what, needs: "a number")
      return nil
    }
  }

  /// Reads a duration, which may be zero only if `allowsZero` is true.
  func duration(_ node: YAMLNode, _ what: String, allowsZero: Bool = true) -> Duration? {
    guard let text = plainText(node, what) else { return nil }
    guard let duration = DurationNotation.parse(text) else {
      invalidDuration(text, what, at: node.range)
      return nil
    }
    if duration == .zero, !allowsZero {
      error(.outOfRange, "\(what) must be greater than zero", at: node.range)
      return nil
    }
    return duration
  }

  /// Reports that `text` is not a duration.
  func invalidDuration(_ text: String, _ what: String, at range: SourceRange) {
    let problem = DurationProblem(text, what, shown: text)
    error(problem.code, problem.message, at: range, fix: problem.fix)
  }

  /// Reads one of the words of an enumeration.
  func choice<Word: RawRepresentable & CaseIterable>(_ node: YAMLNode, _ what: String, _ type: Word.Type) -> Word?
  where Word.RawValue == String {
    guard let text = plainText(node, what) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    error(
      .unknownWord, "\(what) is one of \(words.joined(separator: ", ")), found '\(text)'", at: node.range,
      fix: suggestion(for: text, among: words))
    return nil
  }

  /// Reads a list of texts, or a single text if `allowsOne` is true.
  func texts(_ node: YAMLNode, _ what: String, allowsOne: Bool) -> [(text: String, node: YAMLNode)] {
    if let items = node.items {
      return items.compactMap { item in plainText(item, "an entry of \(what)").map { ($0, item) } }
    }
    if allowsOne, node.text != nil { return plainText(node, what).map { [($0, node)] } ?? [] }
    wrongForm(node, what, needs: allowsOne ? "a text or a list of texts" : "a list")
    return []
  }

  // MARK: - Names

  /// The characters that a name may contain.
  enum NameRule {
    case operation, pipeline, variable, member

    /// The rule in words.
    var text: String {
      switch self {
      case .operation: "letters, digits, '_' and '-', at most 100, the first a letter or '_'"
      case .pipeline: "letters, digits, '_', '-' and '.', at most 100, the first a letter or '_'"
      case .variable: "letters, digits and '_', the first a letter or '_'"
      case .member: "letters, digits, '_' and '-', the first a letter or '_'"
      }
    }

    func allows(_ name: String) -> Bool {
      let bytes = name.utf8
      guard let first = bytes.first, !(48...57).contains(first), first != UInt8(ascii: "-"), first != UInt8(ascii: ".")
      else { return false }
      if self == .operation || self == .pipeline, bytes.count > 100 { return false }
      return bytes.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, 95: true
        case UInt8(ascii: "-"): self != .variable
        case UInt8(ascii: "."): self == .pipeline
        default: false
        }
      }
    }
  }

  /// Reports a name that violates `rule`; returns whether it is valid.
  func checkName(_ name: String, _ rule: NameRule, _ what: String, at range: SourceRange) -> Bool {
    if rule.allows(name) { return true }
    error(.invalidName, "'\(name)' cannot be \(what): it may contain \(rule.text)", at: range)
    return false
  }

  /// Returns the offset of the first `${{` in `text`, in Unicode scalars.
  static func expressionOffset(in text: String) -> Int? {
    // Most texts contain no dollar sign.
    guard text.utf8.contains(UInt8(ascii: "$")) else { return nil }
    var dollars = 0
    var braces = 0
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      switch scalar {
      case "$": (dollars, braces) = (1, 0)
      case "{" where dollars == 1:
        braces += 1
        if braces == 2 { return offset - 2 }
      default: (dollars, braces) = (0, 0)
      }
    }
    return nil
  }
}
