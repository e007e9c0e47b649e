import CProcess
import Glibc
import OperatingSystem
import Operations

/// The processes that this process has adopted because their own parents have ended: what operations leave behind outside their process groups.
enum AdoptedProcesses {
  /// How often a process that is just executing another program is checked, and the pause between two checks.
  private static let looks = 4
  private static let pause = Duration.milliseconds(5)
  /// How often the children are listed again because some have ended in the meantime.
  private static let mostEnds = 100

  /// Whether a child of this process belongs to a run, by its environment or by the log that it writes to. Costs one system call if there are no
  /// children, and examines no processes of others.
  ///
  /// A process that was left behind is a child of this process, or a descendant of such a child that was left behind with it. `isKnown` returns
  /// whether a child is to be ignored, because its end is already awaited.
  static func belong(
    to traces: @autoclosure () -> RunTraces, delayer: some OperationDelayer,
    isolation: isolated (any Actor)? = #isolation, isKnown: (Int32) -> Bool
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
      // What an ended process had started is adopted before its end can be seen, but possibly after the list was read.
      if hasNewlyEnded {
        ends += 1
        continue
      }
      // The code that terminates them searches again, and reports what could not be examined.
      if LookFailures.count != failures { return true }
      guard isUndecided else { return false }
      try? await delayer.delay(for: pause)
      look += 1
    }
    return false
  }
}
