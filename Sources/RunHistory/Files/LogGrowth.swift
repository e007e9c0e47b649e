/// The growth of a log to a size at a time, which log indexes consist of. The logs of an attempt are ordered by their growth.
package struct LogGrowth: Sendable, Hashable {
  package var log: LogName
  /// In bytes. Smaller than before if the log was truncated: earlier entries about the rest are no longer valid.
  package var size: Int64
  package var time: RecordTime

  package init(_ log: LogName, size: Int64, time: RecordTime) {
    self.log = log
    self.size = size
    self.time = time
  }
}
