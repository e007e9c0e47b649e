extension Int64 {
  /// The value limited to the range of a count, a number or an ordinal. A forged database may contain any integer, which must not crash the process.
  var asCount: Int { Int(Int32(clamping: Swift.max(0, self))) }

  /// The value as a process id. Invalid values, above all 0 and -1, which mean many processes to `kill`, become an id that no process has: Linux has
  /// at most 2^22.
  var asProcess: Int32 { (1...1 << 22).contains(self) ? Int32(self) : .max }
}

extension Int64 {
  /// Returns the sum, or the nearest representable number.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the product, or the nearest representable number.
  package func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
