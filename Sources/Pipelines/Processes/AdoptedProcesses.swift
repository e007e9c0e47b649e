import CProcess
import Glibc

/// The processes that this one has adopted because their own parents have ended: what operations leave behind outside of their process groups.
enum AdoptedProcesses {
  /// So often a process is looked at that is just becoming another program, and this long after the look before.
  private static let looks = 4
  private static let pause = Duration.milliseconds(5)
  /// So often the children are listed again because some have ended meanwhile.
  private static let mostEnds = 100

  /// Whether a child of this process carries the mark `NAME=value`. Costs one system call where there are no children, and looks at nobody else's processes.
  ///
  /// A process that was left behind is a child of this one, or a descendant of such a child that was left behind with it. `isKnown` tells the
  /// children that are not to be looked at, as somebody waits for their ends.
  static func carry(
    _ mark: String, delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation, isKnown: (Int32) -> Bool
  ) async -> Bool {
    let entry = Array(mark.utf8)
    var settled: Set<Int32> = []
    var (look, ends) = (0, 0)
    while look < looks, ends < mostEnds, penstock_has_children() == 1 {
      var (isUndecided, hasNewlyEnded) = (false, false)
      for pid in ProcessTable.children() where !settled.contains(pid) && !isKnown(pid) {
        switch ProcessTable.mark(entry, of: pid) {
        case .present: return true
        case .absent: settled.insert(pid)
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
      guard isUndecided else { return false }
      try? await delayer.delay(for: pause)
      look += 1
    }
    return false
  }
}
