/// Finds secrets of which some bytes are percent-encoded: `%` and two digits, whichever bytes an encoder chooses, and `+` for a space.
///
/// Secrets without any encoded byte are not found here. A path begins at a `%` or a `+`, from any position in a secret that the preceding text leads
/// to; whatever can be read as an encoded byte is treated as one, even if the secret itself contains a `%`.
struct PercentMatcher {
  private struct Path {
    var start: Int
    var node: Int
    /// Whether a byte on the path was encoded.
    var isEncoded = false
    /// How much of an encoded byte has been read: `%`, or `%` and this digit.
    var part = Part.none
  }

  private enum Part {
    case none
    case percent
    case digit(UInt8)
  }

  private static let percent = UInt8(ascii: "%")
  private var paths: [Path] = []
  /// The paths before the latest byte, kept to reuse their memory.
  private var former: [Path] = []

  /// Whether no secret has begun.
  var isIdle: Bool { paths.isEmpty }

  /// Calls `found` with the start of each candidate that may still become a secret.
  func forEachStart(_ found: (Int) -> Void) { for path in paths { found(path.start) } }

  /// Processes the next byte, which is at `position`. `state` is the automaton's state before it.
  mutating func take(
    _ byte: UInt8, at position: Int, after state: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) {
    let begins = byte == Self.percent || byte == UInt8(ascii: "+")
    guard begins || !paths.isEmpty else { return }
    swap(&paths, &former)
    paths.removeAll(keepingCapacity: true)
    for path in former { follow(path, byte, at: position, automaton, &matches) }
    guard begins else { return }
    var node = state
    while true {
      let path = Path(start: position - automaton.depth(of: node), node: node)
      if !automaton.has(.plain, node) {
        // This is another path, which began earlier.
      } else if byte == Self.percent {
        if automaton.has(.percentParent, node) {
          paths.append(path)
          paths[paths.count - 1].part = .percent
        }
      } else {
        reach(automaton.percentChild(of: node, UInt8(ascii: " ")), path, position + 1, automaton, &matches)
      }
      if node == SecretAutomaton.root { return }
      node = automaton.suffix(of: node)
    }
  }

  private mutating func follow(
    _ path: Path, _ byte: UInt8, at position: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) {
    switch path.part {
    case .none:
      guard byte != Self.percent else {
        paths.append(path)
        paths[paths.count - 1].part = .percent
        return
      }
      reach(automaton.percentChild(of: path.node, byte), path, position + 1, automaton, &matches)
      if byte == UInt8(ascii: "+") {
        reach(automaton.percentChild(of: path.node, UInt8(ascii: " ")), path, position + 1, automaton, &matches)
      }
    case .percent:
      let digit = Self.digit(byte)
      if let digit, (0..<16).contains(where: { automaton.percentChild(of: path.node, digit << 4 | $0) != 0 }) {
        paths.append(path)
        paths[paths.count - 1].part = .digit(byte)
      }
      // The `%` belongs to the secret itself.
      if digit != Self.percent >> 4, let literal = literal(path, position, automaton, &matches) {
        follow(literal, byte, at: position, automaton, &matches)
      }
    case .digit(let former):
      let value = Self.digit(byte).flatMap { low in Self.digit(former).map { $0 << 4 | low } }
      if let value { reach(automaton.percentChild(of: path.node, value), path, position + 1, automaton, &matches) }
      guard Self.digit(former) == Self.percent >> 4, value != Self.percent,
        var literal = literal(path, position - 1, automaton, &matches)
      else { return }
      literal.node = automaton.percentChild(of: literal.node, former)
      guard literal.node != 0 else { return }
      if automaton.has(.percentEnd, literal.node) { matches.append(SecretMatch(start: path.start, end: position)) }
      if automaton.has(.percentParent, literal.node) { follow(literal, byte, at: position, automaton, &matches) }
    }
  }

  /// Returns the path on which the `%` before `end` is literal. If nothing before it was encoded, the automaton is already on that path.
  private func literal(
    _ path: Path, _ end: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) -> Path? {
    let node = automaton.percentChild(of: path.node, Self.percent)
    guard path.isEncoded, node != 0 else { return nil }
    if automaton.has(.percentEnd, node) { matches.append(SecretMatch(start: path.start, end: end)) }
    return automaton.has(.percentParent, node) ? Path(start: path.start, node: node, isEncoded: true) : nil
  }

  private mutating func reach(
    _ node: Int, _ path: Path, _ end: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) {
    guard node != 0 else { return }
    if automaton.has(.percentEnd, node) { matches.append(SecretMatch(start: path.start, end: end)) }
    if automaton.has(.percentParent, node) { paths.append(Path(start: path.start, node: node, isEncoded: true)) }
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
