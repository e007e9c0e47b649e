/// Finds secrets in Base64, with line breaks anywhere between its characters, including line breaks escaped as in JSON strings.
struct EncodedMatcher {
  /// How much of a line break has been read.
  private struct Gap {
    /// A longer sequence between two characters is not a line break. (In a JSON string, MIME's is `\\r\\n`.)
    private static let longest = 4
    private var count = 0
    private(set) var isEscape = false

    enum Step {
      /// The byte belongs to the gap.
      case inside
      /// The byte is a character after the gap.
      case over
      /// The bytes were not a line break.
      case broken
    }

    mutating func take(_ byte: UInt8) -> Step {
      if isEscape {
        isEscape = false
        guard byte == UInt8(ascii: "n") || byte == UInt8(ascii: "r"), count + 2 <= Self.longest else { return .broken }
        count += 2
        return .inside
      }
      switch byte {
      case UInt8(ascii: "\\"):
        isEscape = true
        return .inside
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        count += 1
        return count <= Self.longest ? .inside : .broken
      default: return .over
      }
    }
  }

  /// A candidate that begins with the `n` or `r` that is part of an escaped line break for all earlier candidates.
  private struct Path {
    let start: Int
    var node: Int
    var gap = Gap()
  }

  private var state = SecretAutomaton.root
  private var gap = Gap()
  /// The positions of the characters that led to the state, the latest last.
  private var positions: [Int] = []
  private var paths: [Path] = []
  /// The paths before the latest byte, kept to reuse their memory.
  private var former: [Path] = []

  /// Whether no secret has begun.
  var isIdle: Bool { state == SecretAutomaton.root && paths.isEmpty }

  /// Calls `found` with the start of each candidate that may still become a secret.
  func forEachStart(_ automaton: SecretAutomaton, _ found: (Int) -> Void) {
    automaton.forEachBeginning(in: state) { found(positions[positions.count - $0]) }
    for path in paths { found(path.start) }
  }

  /// Processes the next byte, which is at `position`.
  mutating func take(
    _ byte: UInt8, at position: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) {
    if !paths.isEmpty { follow(byte, at: position, automaton, &matches) }
    if state != SecretAutomaton.root {
      let isEscaped = gap.isEscape
      switch gap.take(byte) {
      case .inside:
        if isEscaped {
          let node = automaton.child(of: SecretAutomaton.root, byte)
          if node != 0 { paths.append(Path(start: position, node: node)) }
        }
        return
      case .over: break
      case .broken: state = SecretAutomaton.root
      }
    }
    state = automaton.step(from: state, byte)
    gap = Gap()
    guard state != SecretAutomaton.root else {
      positions.removeAll(keepingCapacity: true)
      return
    }
    if positions.count > 2 * automaton.longest { positions.removeFirst(positions.count - automaton.longest) }
    positions.append(position)
    guard automaton.has(.endsInside, state) else { return }
    automaton.forEachEnd(in: state) {
      matches.append(SecretMatch(start: positions[positions.count - $0], end: position + 1))
    }
  }

  private mutating func follow(
    _ byte: UInt8, at position: Int, _ automaton: SecretAutomaton, _ matches: inout [SecretMatch]
  ) {
    swap(&paths, &former)
    paths.removeAll(keepingCapacity: true)
    for var path in former {
      switch path.gap.take(byte) {
      case .inside: paths.append(path)
      case .broken: break
      case .over:
        let node = automaton.child(of: path.node, byte)
        guard node != 0 else { continue }
        if automaton.has(.end, node) { matches.append(SecretMatch(start: path.start, end: position + 1)) }
        if automaton.isOpen(node) { paths.append(Path(start: path.start, node: node)) }
      }
    }
  }
}
