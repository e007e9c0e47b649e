import CProcess
import Glibc
import OperatingSystem

/// The processes that this one has adopted because their own parents have ended: what operations leave behind outside of their process groups.
enum AdoptedProcesses {
  /// So often a process is looked at that is just becoming another program, and this long after the look before.
  private static let looks = 4
  private static let pause = Duration.milliseconds(5)
  /// So often the children are listed again because some have ended meanwhile.
  private static let mostEnds = 100

  /// Whether a child of this process belongs to a run, by its environment or by the log that it writes to. Costs one system call where there are no
  /// children, and looks at nobody else's processes.
  ///
  /// A process that was left behind is a child of this one, or a descendant of such a child that was left behind with it. `isKnown` tells the
  /// children that are not to be looked at, as somebody waits for their ends.
  static func belong(
    to traces: @autoclosure () -> RunTraces, delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation,
    isKnown: (Int32) -> Bool
  ) async -> Bool {
    guard penstock_has_children() == 1 else { return false }
    let failures = LookFailures.count
    let traces = traces()
    var settled: Set<Int32> = []
    var (look, ends) = (0, 0)
    while look < looks, ends < mostEnds, penstock_has_children() == 1 {
      var (isUndecided, hasNewlyEnded) = (false, false)
      for pid in ProcessTable.children() where !settled.contains(pid) && !isKnown(pid) {
        switch ProcessTable.mark(traces.mark, of: pid) {
        case .present: return true
        case .absent:
          if let logs = traces.logs, ProcessTable.writes(into: logs, pid) { return true }
          settled.insert(pid)
        case .undecided: isUndecided = true
        case .gone:
          settled.insert(pid)
          hasNewlyEnded = true
        }
      }
      // What one that has ended had started is adopted before its end can be seen, but maybe after the list was read.
      if hasNewlyEnded {
        ends += 1
        continue
      }
      // Whoever ends them looks again, and says what could not be looked at.
      if LookFailures.count != failures { return true }
      guard isUndecided else { return false }
      try? await delayer.delay(for: pause)
      look += 1
    }
    return false
  }
}
