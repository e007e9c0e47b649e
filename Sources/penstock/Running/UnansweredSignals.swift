import Glibc
import PluginHost
import Synchronization

/// Ends the process for a signal that nobody answers: while a file is read, between two runs, and after the last one.
///
/// ``SignalSource/block()`` keeps the signals for the thread that shows a run. Until there is one, and when its run has ended, they are the first thread's,
/// which has nothing else to do; so whatever hangs elsewhere, the process can be asked to end.
enum UnansweredSignals {
  /// What may still have to be written after a run.
  private static let patience: Duration = .seconds(2)
  private static let look: UInt32 = 20_000

  private static let presentations = Atomic(0)
  private static let hasRun = Atomic(false)

  /// A presentation answers signals from now on.
  static func beginPresentation() {
    presentations.add(1, ordering: .sequentiallyConsistent)
    hasRun.store(true, ordering: .sequentiallyConsistent)
  }

  static func endPresentation() { presentations.subtract(1, ordering: .sequentiallyConsistent) }

  /// Waits for signals for as long as the process lives. For the first thread.
  static func wait() -> Never {
    guard let source = try? SignalSource(SignalSource.ending + [SIGTSTP]) else {
      while true { pause() }
    }
    while true {
      var waits = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, -1) > 0 else { continue }
      guard isUnanswered(source.descriptor), let signal = source.next()?.number else { continue }
      // The default action, which a blocked signal does not have.
      guard signal != SIGTSTP else {
        raise(SIGSTOP)
        continue
      }
      if !hasRun.load(ordering: .sequentiallyConsistent) {
        let reason = HangingCalls.texts.first.map { ": \($0)" } ?? ""
        TextOutput.error.writeLine("penstock: cancelled before the run began\(reason)")
      }
      ExitStatus.cancelled.finishAtOnce()
    }
  }

  /// Whether a signal that has come stays where it is, without anybody who shows a run and would take it.
  private static func isUnanswered(_ descriptor: Int32) -> Bool {
    var deadline: ContinuousClock.Instant?
    while true {
      var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, 0) > 0 else { return false }
      if presentations.load(ordering: .sequentiallyConsistent) > 0 {
        deadline = nil
      } else {
        guard hasRun.load(ordering: .sequentiallyConsistent) else { return true }
        let end = deadline ?? .now + patience
        deadline = end
        if ContinuousClock.now >= end { return true }
      }
      usleep(look)
    }
  }
}
