/// A set of days of the week.
public struct WeekdaySet: Sendable, Hashable {
  /// A bit for each day, with Sunday at bit 0.
  private let bits: UInt8

  /// Every day.
  public static let all = WeekdaySet(bits: 0x7F)

  private init(bits: UInt8) {
    self.bits = bits
  }

  private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Parses comma-separated names and ranges, such as `mon-fri,sun`; a range may wrap around the end of the week, as in `fri-mon`. Also accepts `weekdays`,
  /// `weekends` and `all`.
  public init(_ text: String) throws(WindowError) {
    var bits: UInt8 = 0
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      bits |= try Self.bits(of: item.trimmingBlanks())
    }
    self.init(bits: bits)
  }

  private static func bits(of item: Substring) throws(WindowError) -> UInt8 {
    switch item.lowercased() {
    case "all", "*": return all.bits
    case "weekdays": return 0x3E
    case "weekends": return 0x41
    default: break
    }
    let ends = item.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let first = try number(ends[0], in: item)
    let last = try ends.count > 1 ? number(ends[1], in: item) : first
    var bits: UInt8 = 0
    var day = first
    while true {
      bits |= 1 << day
      if day == last { return bits }
      day = (day + 1) % 7
    }
  }

  private static func number(_ text: Substring, in item: Substring) throws(WindowError) -> Int {
    let name = text.trimmingBlanks().lowercased()
    // Longer forms such as `Monday` and `mondays` mean the same as `mon`.
    if name.utf8.count >= 3,
      let weekday = Weekday.allCases.first(where: { ($0.name.lowercased() + "s").hasPrefix(name) })
    {
      return weekday.rawValue
    }
    throw WindowError("'\(item)' is not a day of the week; write days like mon-fri or sat,sun", .days)
  }

  /// Returns whether the set contains `weekday`.
  public func contains(_ weekday: Weekday) -> Bool {
    bits & 1 << weekday.rawValue != 0
  }
}

extension WeekdaySet: CustomStringConvertible {
  /// For example, `mon-fri,sun`; the week begins on Monday.
  public var description: String {
    if self == .all { return "every day" }
    let order = [1, 2, 3, 4, 5, 6, 0]
    var items: [String] = []
    var at = 0
    while at < 7 {
      guard bits & 1 << order[at] != 0 else {
        at += 1
        continue
      }
      let start = at
      while at + 1 < 7, bits & 1 << order[at + 1] != 0 { at += 1 }
      let separator = at - start == 1 ? "," : "-"
      items.append(
        start == at ? Self.names[order[at]] : Self.names[order[start]] + separator + Self.names[order[at]])
      at += 1
    }
    return items.joined(separator: ",")
  }
}

extension StringProtocol {
  /// Returns the text without leading and trailing blanks and tabs.
  func trimmingBlanks() -> SubSequence {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = firstIndex { !isBlank($0) } ?? endIndex
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? start
    return self[start..<end]
  }
}
