/// The range of a secret in a text, in absolute positions.
struct SecretMatch: Comparable {
  var start: Int
  var end: Int

  static func < (left: Self, right: Self) -> Bool { (left.start, left.end) < (right.start, right.end) }
}

/// Masks one text that arrives in pieces.
///
/// Each byte is examined once, however it arrives. At most what may be the beginning of a secret is held back: five times the length of the longest one.
struct SecretScanner: Sendable {
  private let spellings: SecretSpellings
  /// The bytes that have not been returned yet, starting at the absolute position `base`.
  private var pending: [UInt8] = []
  private var base = 0
  private var exact = SecretAutomaton.root
  private var percent = PercentMatcher()
  private var encoded = EncodedMatcher()
  /// The secrets found in the pending bytes.
  private var matches: [SecretMatch] = []

  init(_ spellings: SecretSpellings) {
    self.spellings = spellings
  }

  /// Processes the next bytes of the text, and returns the masked text that is final so far.
  mutating func mask(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let first = pending.count
    pending.append(contentsOf: bytes)
    scan(from: first)
    return resolve(isLast: false)
  }

  /// Returns the rest of the text, which ends here.
  mutating func finish() -> [UInt8] { resolve(isLast: true) }

  private mutating func scan(from first: Int) {
    let text = pending
    let (spellings, automaton, base64) = (spellings, spellings.exact, spellings.base64)
    for index in first..<text.count {
      let byte = text[index]
      // Most bytes do not begin a secret; the last one must wait for the next.
      if exact == SecretAutomaton.root, percent.isIdle, encoded.isIdle, index + 1 < text.count,
        !spellings.mayBegin(with: byte, text[index + 1])
      {
        continue
      }
      let position = base + index
      percent.take(byte, at: position, after: exact, automaton, &matches)
      exact = automaton.step(from: exact, byte)
      if automaton.has(.endsInside, exact) {
        automaton.forEachEnd(in: exact) { length in
          matches.append(SecretMatch(start: position + 1 - length, end: position + 1))
        }
      }
      encoded.take(byte, at: position, base64, &matches)
    }
  }

  /// Masks from left to right up to the start of the first open candidate. Of secrets that begin at the same position, the longest is masked.
  private mutating func resolve(isLast: Bool) -> [UInt8] {
    let open = isLast ? [] : openStarts()
    matches.sort()
    var result: [UInt8] = []
    result.reserveCapacity(pending.count)
    let end = base + pending.count
    var (position, nextMatch, nextOpen) = (base, 0, 0)
    while position < end {
      while nextOpen < open.count, open[nextOpen] < position { nextOpen += 1 }
      while nextMatch < matches.count, matches[nextMatch].start < position { nextMatch += 1 }
      let limit = nextOpen < open.count ? open[nextOpen] : end
      guard nextMatch < matches.count, matches[nextMatch].start < limit else {
        result.append(contentsOf: pending[(position - base)..<(limit - base)])
        position = limit
        break
      }
      let start = matches[nextMatch].start
      while nextMatch + 1 < matches.count, matches[nextMatch + 1].start == start { nextMatch += 1 }
      result.append(contentsOf: pending[(position - base)..<(start - base)])
      result.append(contentsOf: SecretMasker.mask)
      position = matches[nextMatch].end
    }
    matches.removeAll { $0.start < position }
    pending.removeFirst(position - base)
    base = position
    return result
  }

  /// Returns the starts of candidates that may still become secrets, in order.
  private func openStarts() -> [Int] {
    var starts: [Int] = []
    let end = base + pending.count
    spellings.exact.forEachBeginning(in: exact) { starts.append(end - $0) }
    percent.forEachStart { starts.append($0) }
    encoded.forEachStart(spellings.base64) { starts.append($0) }
    starts.sort()
    return starts
  }
}
