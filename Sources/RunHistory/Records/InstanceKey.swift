/// The integer key of an operation instance: the number of its run in the upper 31 bits, its ordinal in the lower 32.
struct InstanceKey {
  /// The integer.
  let value: Int64

  init(run: Int64, ordinal: Int) {
    value = run << 32 | Int64(ordinal) & 0xffff_ffff
  }

  init(_ value: Int64) {
    self.value = value
  }

  /// The number of the run.
  var run: Int64 { value >> 32 }

  var ordinal: Int { Int(value & 0xffff_ffff) }

  /// Whether the numbers of `count` runs, all of which fit in a key, are so close together that scanning everything between the first and the last is
  /// cheaper than looking each one up.
  static func areDense(_ first: Int64, _ last: Int64, count: Int64) -> Bool {
    first >= 0 && last <= Int32.max && last - first < 4 * count
  }

  /// Returns the smallest and the largest key of a run.
  static func range(of run: Int64) -> (first: Int64, last: Int64) {
    (run << 32, run << 32 | 0xffff_ffff)
  }
}
