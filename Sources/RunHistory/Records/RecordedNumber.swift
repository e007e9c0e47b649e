import SQLite

extension Row {
  /// A count, a number or an ordinal in a column: as much of it as a record may say. A database that somebody made up may hold any integer, and must not end
  /// the process.
  func count(_ index: Int) -> Int { Int(Int32(clamping: Swift.max(0, self[index] as Int64))) }

  /// As ``count(_:)``; nil for null.
  func optionalCount(_ index: Int) -> Int? { (self[index] as Int64?) == nil ? nil : count(index) }

  /// A process id in a column. For what is none, above all for 0 and -1 which mean many to `kill`, one that no process has: Linux has 2^22 at most.
  func process(_ index: Int) -> Int32 {
    let number = self[index] as Int64
    return (1...1 << 22).contains(number) ? Int32(number) : .max
  }
}

extension Int64 {
  /// The sum, or the number nearest to it.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The product, or the number nearest to it.
  package func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
