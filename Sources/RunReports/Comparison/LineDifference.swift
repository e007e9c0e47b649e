/// The line-by-line difference between two texts, as shown by `diff -u`.
package struct LineDifference: Sendable, Equatable {
  /// One line of the difference.
  package enum Line: Sendable, Equatable {
    case common(String)
    case removed(String)
    case added(String)
    /// A number of common lines that are left out.
    case omitted(Int)
  }

  /// The difference, with three common lines around each change.
  package private(set) var lines: [Line] = []
  /// The number of lines that only the first text has.
  package private(set) var removed = 0
  /// The number of lines that only the second text has.
  package private(set) var added = 0

  package var isEmpty: Bool { removed == 0 && added == 0 }

  private static let context = 3
  /// The maximum length, in lines, of a middle section whose shortest difference is computed: the search takes quadratic time if nearly everything differs.
  private static let longestSearch = 4000

  package init(from first: String, to second: String) {
    let old = Self.split(first)
    let new = Self.split(second)
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var tail = 0
    while tail < old.count - start, tail < new.count - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
    let before = Array(old[start..<old.count - tail])
    let after = Array(new[start..<new.count - tail])
    var all = old[..<start].map { Line.common(String($0)) }
    all += Self.middle(before, after)
    all += old[(old.count - tail)...].map { Line.common(String($0)) }
    for line in all {
      switch line {
      case .removed: removed += 1
      case .added: added += 1
      case .common, .omitted: break
      }
    }
    lines = isEmpty ? [] : Self.shortened(all)
  }

  private static func split(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static func middle(_ old: [Substring], _ new: [Substring]) -> [Line] {
    guard old.count + new.count <= longestSearch else {
      return old.map { .removed(String($0)) } + new.map { .added(String($0)) }
    }
    var removals: Set<Int> = []
    var insertions: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removals.insert(offset)
      case .insert(let offset, _, _): insertions.insert(offset)
      }
    }
    var lines: [Line] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if left < old.count, removals.contains(left) {
        lines.append(.removed(String(old[left])))
        left += 1
      } else if right < new.count, insertions.contains(right) {
        lines.append(.added(String(new[right])))
        right += 1
      } else {
        lines.append(.common(String(old[left])))
        left += 1
        right += 1
      }
    }
    return lines
  }

  /// Removes the common lines that are far from every change.
  private static func shortened(_ lines: [Line]) -> [Line] {
    var isNear = [Bool](repeating: false, count: lines.count)
    for (index, line) in lines.enumerated() {
      if case .common = line { continue }
      for near in max(0, index - context)...min(lines.count - 1, index + context) { isNear[near] = true }
    }
    var shown: [Line] = []
    var omitted = 0
    for (index, line) in lines.enumerated() {
      if isNear[index] {
        if omitted > 0 { shown.append(.omitted(omitted)) }
        omitted = 0
        shown.append(line)
      } else {
        omitted += 1
      }
    }
    if omitted > 0 { shown.append(.omitted(omitted)) }
    return shown
  }
}
