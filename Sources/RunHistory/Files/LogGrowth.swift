/// That a log had grown to a size at a time: what an index of logs is made of. The order of the logs of an attempt is that in which they grew.
package struct LogGrowth: Sendable, Hashable {
  package var log: LogName
  /// In bytes. Smaller than before where the log was cut: nothing that was said of the rest holds any more.
  package var size: Int64
  package var time: RecordTime

  package init(_ log: LogName, size: Int64, time: RecordTime) {
    self.log = log
    self.size = size
    self.time = time
  }
}
