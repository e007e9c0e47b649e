/// A recorded process of a run, which led a session.
package struct RecordedProcess: Hashable {
  package let pid: Int32
  /// When it started, in clock ticks since boot; nil for an attempt that ended before that was recorded.
  package let started: ClosedRange<Int64>?

  init(pid: Int32, started: Int64?) {
    self.init(pid: pid, startedWithin: started.map { $0...$0 })
  }

  package init(pid: Int32, startedWithin range: ClosedRange<Int64>?) {
    self.pid = pid
    started = range
  }
}
