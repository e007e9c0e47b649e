/// Passes as many lines per second as a person may want to read, and counts the others.
struct LineLimit {
  /// The number of lines per second that are passed.
  static let perSecond = 200

  private var second: Int64 = .min
  private var count = 0
  private var leftOut = 0

  /// Takes a line that arrived at `now`, in nanoseconds.
  ///
  /// - Returns: The lines to report: if the line is the first of its second, the number of lines dropped before it; and the line itself.
  mutating func take(_ line: String, now: Int64) -> [String] {
    var told: [String] = []
    if now / 1_000_000_000 != second {
      told = finish()
      second = now / 1_000_000_000
      count = 0
    }
    count += 1
    if count <= Self.perSecond { told.append(line) } else { leftOut += 1 }
    return told
  }

  /// Returns what remains to be reported after the last line.
  mutating func finish() -> [String] {
    guard leftOut > 0 else { return [] }
    defer { leftOut = 0 }
    return ["… and \(leftOut) more lines, dropped because there were more than \(Self.perSecond) in a second"]
  }
}
