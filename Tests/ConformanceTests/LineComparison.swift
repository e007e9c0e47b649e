/// Compares lines with the expected ones, and shows the differences.
///
/// `…` in an expected line stands for any text, a line that consists only of `…` for any number of lines.
enum LineComparison {
  private static let gap: Character = "…"

  /// Returns the differences line by line under `title`; nil if there are none.
  static func difference(_ title: String, expected: [String], actual: [String]) -> String? {
    if matches(expected[...], actual[...]) { return nil }
    var lines = ["\(title): expected (-), but found (+)"]
    lines += shortened(edits(expected, actual))
    return lines.joined(separator: "\n")
  }

  /// Returns whether `actual` matches `expected`.
  static func matches(_ expected: ArraySlice<String>, _ actual: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return actual.isEmpty }
    let rest = expected.dropFirst()
    if first == String(gap) {
      return (actual.startIndex...actual.endIndex).contains { matches(rest, actual[$0...]) }
    }
    guard let line = actual.first, matches(first, line) else { return false }
    return matches(rest, actual.dropFirst())
  }

  /// Returns whether the line `actual` matches `expected`.
  static func matches(_ expected: String, _ actual: String) -> Bool {
    guard expected.contains(gap) else { return expected == actual }
    let pieces = expected.split(separator: gap, omittingEmptySubsequences: false)
    guard let first = pieces.first, let last = pieces.last, actual.hasPrefix(first) else { return false }
    var rest = actual.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  /// Removes equal lines that are more than two lines away from a difference, because a report shows only the first few lines.
  private static func shortened(_ edits: [String]) -> [String] {
    let isShown = edits.indices.map { place in
      edits[max(0, place - 2)...min(place + 2, edits.count - 1)].contains { !$0.hasPrefix("    ") }
    }
    var lines: [String] = []
    for (place, line) in edits.enumerated() {
      if isShown[place] {
        lines.append(line)
      } else if place == 0 || isShown[place - 1] {
        lines.append("    \(gap)")
      }
    }
    return lines
  }

  /// Returns the shortest edit script, as lines that begin with `- `, `+ ` or two spaces.
  private static func edits(_ expected: [String], _ actual: [String]) -> [String] {
    var common = [[Int]](repeating: [Int](repeating: 0, count: actual.count + 1), count: expected.count + 1)
    for left in expected.indices.reversed() {
      for right in actual.indices.reversed() {
        common[left][right] =
          matches(expected[left], actual[right])
          ? common[left + 1][right + 1] + 1 : max(common[left + 1][right], common[left][right + 1])
      }
    }
    var lines: [String] = []
    var (left, right) = (0, 0)
    while left < expected.count || right < actual.count {
      if left < expected.count, right < actual.count, matches(expected[left], actual[right]) {
        lines.append("    " + actual[right])
        (left, right) = (left + 1, right + 1)
      } else if left < expected.count, right == actual.count || common[left + 1][right] >= common[left][right + 1] {
        lines.append("  - " + expected[left])
        left += 1
      } else {
        lines.append("  + " + actual[right])
        right += 1
      }
    }
    return lines
  }
}

extension LineComparison {
  /// Like `difference`, for records: in any order, and only as far as the expected line goes.
  static func difference(
    _ title: String, records kind: RecordKind, expected: [String], actual: [String]
  ) -> String? {
    var rest = actual.map { fields(of: $0, kind) }
    var aligned: [[Substring]] = []
    let wanted = expected.map { fields(of: $0, kind) }
    for line in wanted where kind.keyCount > 0 {
      let key = line.prefix(kind.keyCount)
      guard let place = rest.firstIndex(where: { $0.prefix(kind.keyCount) == key }) else { continue }
      // Fields that the expectation omits are not compared.
      aligned.append(Array(rest.remove(at: place).prefix(line.count)))
    }
    if kind.keyCount == 0 {
      aligned = zip(rest, wanted).map { Array($0.prefix($1.count)) } + rest.dropFirst(wanted.count)
    } else {
      aligned += rest
    }
    return difference(title, expected: wanted.map(text), actual: aligned.map(text))
  }

  private static func fields(of line: String, _ kind: RecordKind) -> [Substring] {
    line.split(separator: " ", maxSplits: kind.fieldCount - 1).map { field in
      var field = field.drop { $0 == " " }
      while field.last == " " { field.removeLast() }
      return field
    }
  }

  private static func text(_ fields: [Substring]) -> String { fields.joined(separator: "  ") }
}
