/// Where a secret stands in a text: absolute positions.
struct SecretMatch: Comparable {
  var start: Int
  var end: Int

  static func < (left: Self, right: Self) -> Bool { (left.start, left.end) < (right.start, right.end) }
}

/// Masks one text that arrives in pieces.
///
/// Each byte is looked at once, however it arrives. What is held back is at most what may be the beginning of a secret: five times the longest one.
struct SecretScanner {
  private let spellings: SecretSpellings
  /// What has not been given out: from `base` on, which is a position in the whole text.
  private var pending: [UInt8] = []
  private var base = 0
  private var exact = SecretAutomaton.root
  private var percent = PercentMatcher()
  private var encoded = EncodedMatcher()
  /// Where secrets stand in what is pending.
  private var matches: [SecretMatch] = []

  init(_ spellings: SecretSpellings) {
    self.spellings = spellings
  }

  /// Takes the next bytes of the text, and returns what can already be told of it, masked.
  mutating func mask(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let first = pending.count
    pending.append(contentsOf: bytes)
    scan(from: first)
    return resolve(isLast: false)
  }

  /// The rest of the text, which ends here.
  mutating func finish() -> [UInt8] { resolve(isLast: true) }

  private mutating func scan(from first: Int) {
    let text = pending
    let (spellings, automaton, base64) = (spellings, spellings.exact, spellings.base64)
    for index in first..<text.count {
      let byte = text[index]
      // Most bytes begin nothing; the last one must wait for the next.
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

  /// Masks from left to right, of secrets that begin in one place the longest, up to where one may have begun.
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

  /// Where something begins that may still become a secret, in order.
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
