extension Int64 {
  /// A count, a number or an ordinal: as much of it as a record may say. A database that somebody made up may hold any integer, and must not end the process.
  var asCount: Int { Int(Int32(clamping: Swift.max(0, self))) }

  /// A process id. For what is none, above all for 0 and -1 which mean many to `kill`, one that no process has: Linux has 2^22 at most.
  var asProcess: Int32 { (1...1 << 22).contains(self) ? Int32(self) : .max }
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
