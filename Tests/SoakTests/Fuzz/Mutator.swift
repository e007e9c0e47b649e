import OperationsTesting

/// Mutates texts as editors, merges, people and attackers do.
struct Mutator {
  var random: SeededRandom
  /// The source of inserted pieces.
  let corpus: [[UInt8]]

  private static let newline = UInt8(ascii: "\n")

  /// Returns a text of the corpus, mutated a few times.
  mutating func next(spoilingUpTo most: Int = 6) -> [UInt8] {
    var text = random.element(of: corpus)
    for _ in 0..<Int.random(in: 1...most, using: &random) { spoil(&text) }
    return text
  }

  /// Mutates a text once.
  mutating func spoil(_ text: inout [UInt8]) {
    switch Int.random(in: 0..<13, using: &random) {
    case 0: flipBytes(&text)
    case 1, 2: swapTokens(&text)
    case 3:
      changeLines(&text) { lines, random in lines.insert(random.element(of: lines), at: Self.place(in: lines, &random))
      }
    case 4: changeLines(&text) { lines, random in lines.remove(at: Int.random(in: 0..<lines.count, using: &random)) }
    case 5: changeLines(&text) { lines, random in Self.reindent(&lines, &random) }
    case 6:
      changeLines(&text) { lines, random in
        lines.swapAt(Int.random(in: 0..<lines.count, using: &random), Int.random(in: 0..<lines.count, using: &random))
      }
    case 7: splice(&text)
    case 8: insert(random.element(of: Unusual.texts), into: &text)
    case 9: insert(Unusual.nesting(random: &random), into: &text)
    case 10: text.removeSubrange(range(in: text, longest: 40))
    default: replaceToken(&text)
    }
    // Repeated insertions would otherwise grow without limit.
    if text.count > 64 << 10 { text.removeSubrange((64 << 10)...) }
  }

  private mutating func flipBytes(_ text: inout [UInt8]) {
    guard !text.isEmpty else { return }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<text.count, using: &random)
      text[place] =
        random.oneIn(2)
        ? text[place] ^ (1 << UInt8.random(in: 0...7, using: &random)) : .random(in: 0...255, using: &random)
    }
  }

  private mutating func swapTokens(_ text: inout [UInt8]) {
    let tokens = Self.tokens(text)
    guard tokens.count > 1 else { return }
    var (first, second) = (random.element(of: tokens), random.element(of: tokens))
    if first.lowerBound > second.lowerBound { (first, second) = (second, first) }
    guard first.upperBound <= second.lowerBound else { return }
    text =
      Array(text[..<first.lowerBound]) + text[second] + text[first.upperBound..<second.lowerBound] + text[first]
      + text[second.upperBound...]
  }

  private mutating func replaceToken(_ text: inout [UInt8]) {
    let tokens = Self.tokens(text)
    guard !tokens.isEmpty else { return }
    let replacement: [UInt8]
    if random.oneIn(2) {
      replacement = Array(random.element(of: Unusual.tokens).utf8)
    } else {
      let other = random.element(of: corpus)
      let others = Self.tokens(other)
      replacement = others.isEmpty ? [] : Array(other[random.element(of: others)])
    }
    text.replaceSubrange(random.element(of: tokens), with: replacement)
  }

  private mutating func splice(_ text: inout [UInt8]) {
    let other = random.element(of: corpus)
    let piece = Array(other[range(in: other, longest: 400)])
    text.replaceSubrange(range(in: text, longest: random.oneIn(2) ? 1 : 200), with: piece)
  }

  private mutating func insert(_ piece: [UInt8], into text: inout [UInt8]) {
    text.insert(contentsOf: piece, at: Int.random(in: 0...text.count, using: &random))
  }

  private mutating func range(in text: [UInt8], longest: Int) -> Range<Int> {
    let start = Int.random(in: 0...text.count, using: &random)
    return start..<min(text.count, start + Int.random(in: 0...longest, using: &random))
  }

  private mutating func changeLines(
    _ text: inout [UInt8], _ change: (inout [ArraySlice<UInt8>], inout SeededRandom) -> Void
  ) {
    var lines = text.split(separator: Self.newline, omittingEmptySubsequences: false)
    change(&lines, &random)
    text = Array(lines.joined(separator: [Self.newline]))
  }

  private static func place(in lines: [ArraySlice<UInt8>], _ random: inout SeededRandom) -> Int {
    Int.random(in: 0...lines.count, using: &random)
  }

  private static func reindent(_ lines: inout [ArraySlice<UInt8>], _ random: inout SeededRandom) {
    let start = Int.random(in: 0..<lines.count, using: &random)
    let end = min(lines.count, start + Int.random(in: 1...5, using: &random))
    let blank = random.oneIn(6) ? UInt8(ascii: "\t") : UInt8(ascii: " ")
    let width = Int.random(in: 1...4, using: &random)
    let goesOut = random.oneIn(2)
    for index in start..<end {
      if goesOut {
        lines[index] = lines[index].dropFirst(min(width, lines[index].prefix { $0 == UInt8(ascii: " ") }.count))
      } else {
        lines[index] = Array(repeating: blank, count: width) + lines[index]
      }
    }
  }

  /// Returns the ranges of words and numbers.
  private static func tokens(_ text: [UInt8]) -> [Range<Int>] {
    var tokens: [Range<Int>] = []
    var start: Int?
    for (index, byte) in text.enumerated() {
      let isWord =
        byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
        || (byte >= 0x30 && byte <= 0x39)
      if isWord {
        start = start ?? index
      } else if let begun = start {
        tokens.append(begun..<index)
        start = nil
      }
    }
    if let start { tokens.append(start..<text.count) }
    return tokens
  }
}
