/// Calendar dates without a time zone, as pipeline files write them: `2026-03-29`.
public enum DateNotation {
  /// Returns the number of days between 1970-01-01 and the date `text`, or nil if it is not a date. Years have four digits.
  public static func parse(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes.enumerated().allSatisfy({ $0 == 4 || $0 == 7 || $1 &- 48 < 10 })
    else { return nil }
    func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - 48) } }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    guard (1...12).contains(month), day >= 1, day <= CivilCalendar.length(ofMonth: month, year: year) else {
      return nil
    }
    return CivilCalendar.dayNumber(of: (year, month, day))
  }
}
