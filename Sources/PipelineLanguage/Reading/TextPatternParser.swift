/// Parses the text of a pattern.
struct TextPatternParser {
  private static let deepest = 50
  private static let mostRepeats = 1_000

  private let scalars: [Unicode.Scalar]
  private var at = 0
  private var depth = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  mutating func parse() throws(TextPattern.Failure) -> TextPatternTree {
    let tree = try alternatives()
    guard at == scalars.count else { throw failure("there is a ')' without its '('") }
    return tree
  }

  private func failure(_ message: String, at offset: Int? = nil) -> TextPattern.Failure {
    TextPattern.Failure(message: message, offset: offset ?? at)
  }

  private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    at += 1
    return true
  }

  private mutating func alternatives() throws(TextPattern.Failure) -> TextPatternTree {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .either(branches)
  }

  private mutating func sequence() throws(TextPattern.Failure) -> TextPatternTree {
    var parts: [TextPatternTree] = []
    while let scalar = next, scalar != "|", scalar != ")" { parts.append(try repeated()) }
    return .sequence(parts)
  }

  private mutating func repeated() throws(TextPattern.Failure) -> TextPatternTree {
    let start = at
    let part = try atom()
    let bounds: (Int, Int?)
    switch next {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{":
      guard let counted = try counts() else { return part }
      bounds = counted
      at -= 1
    default: return part
    }
    at += 1
    switch part {
    case .atStart, .atEnd: throw failure("there is nothing to repeat", at: start)
    default: break
    }
    // A lazy repetition matches the same whole texts.
    _ = take("?")
    if let again = next, again == "*" || again == "+" { throw failure("there is nothing to repeat") }
    return .times(part, minimum: bounds.0, maximum: bounds.1)
  }

  /// Reads `{2}`, `{2,}` or `{2,5}`, including the closing brace.
  private mutating func counts() throws(TextPattern.Failure) -> (Int, Int?)? {
    let start = at
    at += 1
    guard let minimum = number() else {
      throw failure("a '{' must be followed by a number; for the character itself, write '\\{'", at: start)
    }
    var maximum: Int? = minimum
    if take(",") { maximum = number() }
    guard take("}") else { throw failure("a '{' lacks its '}'", at: start) }
    if minimum > Self.mostRepeats || maximum ?? 0 > Self.mostRepeats {
      throw failure("it repeats more than \(Self.mostRepeats) times", at: start)
    }
    if let maximum, maximum < minimum { throw failure("the smaller number must come first", at: start) }
    return (minimum, maximum)
  }

  private mutating func number() -> Int? {
    let start = at
    var value = 0
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = min(value * 10 + Int(scalar.value - 48), 1_000_000)
      at += 1
    }
    return at > start ? value : nil
  }

  private mutating func atom() throws(TextPattern.Failure) -> TextPatternTree {
    let start = at
    guard let scalar = next else { return .sequence([]) }
    at += 1
    switch scalar {
    case "^": return .atStart
    case "$": return .atEnd
    case ".": return .set(.init(ranges: [10...10], isNegated: true))
    case "[": return .set(try bracket(start))
    case "(": return try group(start)
    case "*", "+", "?", "{": throw failure("there is nothing to repeat", at: start)
    case "\\":
      guard let escaped = next else { throw failure("nothing follows the '\\'", at: start) }
      at += 1
      return .set(try escape(escaped, start))
    default: return .set(.init(ranges: [scalar.value...scalar.value]))
    }
  }

  private mutating func group(_ start: Int) throws(TextPattern.Failure) -> TextPatternTree {
    if take("?") {
      guard take(":") else { throw failure("look-around and named groups are not available", at: start) }
    }
    depth += 1
    guard depth <= Self.deepest else { throw failure("groups are nested too deeply", at: start) }
    let tree = try alternatives()
    guard take(")") else { throw failure("a '(' lacks its ')'", at: start) }
    depth -= 1
    return tree
  }

  private func escape(
    _ scalar: Unicode.Scalar, _ start: Int
  ) throws(TextPattern.Failure) -> TextPattern.ScalarSet {
    switch scalar {
    case "d": return .init(ranges: [48...57])
    case "D": return .init(ranges: [48...57], isNegated: true)
    case "w": return .init(ranges: [48...57, 65...90, 95...95, 97...122])
    case "W": return .init(ranges: [48...57, 65...90, 95...95, 97...122], isNegated: true)
    case "s": return .init(ranges: [9...13, 32...32])
    case "S": return .init(ranges: [9...13, 32...32], isNegated: true)
    case "n": return .init(ranges: [10...10])
    case "r": return .init(ranges: [13...13])
    case "t": return .init(ranges: [9...9])
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw failure("'\\\(scalar)' is not available", at: start)
      }
      return .init(ranges: [scalar.value...scalar.value])
    }
  }

  private mutating func bracket(_ start: Int) throws(TextPattern.Failure) -> TextPattern.ScalarSet {
    var set = TextPattern.ScalarSet(isNegated: take("^"))
    var isFirst = true
    while let scalar = next, scalar != "]" || isFirst {
      isFirst = false
      let low = try bracketMember()
      guard low.count == 1, let first = low.first, first.count == 1, next == "-", at + 1 < scalars.count,
        scalars[at + 1] != "]"
      else {
        set.ranges += low
        continue
      }
      at += 1
      let high = try bracketMember()
      guard high.count == 1, let last = high.first, last.count == 1, last.lowerBound >= first.lowerBound else {
        throw failure("a range in brackets runs from the smaller to the larger character", at: start)
      }
      set.ranges.append(first.lowerBound...last.lowerBound)
    }
    guard take("]") else { throw failure("a '[' lacks its ']'", at: start) }
    return set
  }

  private mutating func bracketMember() throws(TextPattern.Failure) -> [ClosedRange<UInt32>] {
    let start = at
    guard let scalar = next else { return [] }
    at += 1
    guard scalar == "\\" else { return [scalar.value...scalar.value] }
    guard let escaped = next else { throw failure("nothing follows the '\\'", at: start) }
    at += 1
    let set = try escape(escaped, start)
    guard !set.isNegated else { throw failure("'\\\(escaped)' is not allowed in brackets", at: start) }
    return set.ranges
  }
}
