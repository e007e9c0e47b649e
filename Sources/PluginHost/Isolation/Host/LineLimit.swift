/// Lets as many lines through in a second as a person may want to read, and counts the others.
struct LineLimit {
  /// The lines of one second after which the others are counted only.
  static let perSecond = 200

  private var second: Int64 = .min
  private var count = 0
  private var leftOut = 0

  /// Takes a line that came at `now`, in nanoseconds.
  ///
  /// - Returns: What is to be told: how many lines were left out before it, where it is the first of its second, and the line itself.
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

  /// What is left to be told when there are no more lines.
  mutating func finish() -> [String] {
    guard leftOut > 0 else { return [] }
    defer { leftOut = 0 }
    return ["… and \(leftOut) more lines, left out because there were more than \(Self.perSecond) in a second"]
  }
}
