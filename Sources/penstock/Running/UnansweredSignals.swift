import Glibc
import PluginHost
import Synchronization

/// Ends the process for a signal that no run handles: while a file is read, between two runs, and after the last one.
///
/// ``SignalSource/block()`` reserves the signals for the thread that shows a run. Before that thread exists, and after its run has ended, the first
/// thread handles them; it does nothing else, so the process can be terminated even if another thread hangs.
enum UnansweredSignals {
  /// How long writing may take after a run.
  private static let patience: Duration = .seconds(2)
  private static let look: UInt32 = 20_000

  private static let presentations = Atomic(0)
  private static let hasRun = Atomic(false)

  /// Notes that a presentation handles signals from now on.
  static func beginPresentation() {
    presentations.add(1, ordering: .sequentiallyConsistent)
    hasRun.store(true, ordering: .sequentiallyConsistent)
  }

  static func endPresentation() { presentations.subtract(1, ordering: .sequentiallyConsistent) }

  /// Waits for signals for the lifetime of the process. For the first thread.
  static func wait() -> Never {
    guard let source = try? SignalSource(SignalSource.ending + [SIGTSTP]) else {
      while true { pause() }
    }
    while true {
      var waits = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, -1) > 0 else { continue }
      guard isUnanswered(source.descriptor), let signal = source.next()?.number else { continue }
      // The default action, which a blocked signal does not perform.
      guard signal != SIGTSTP else {
        raise(SIGSTOP)
        continue
      }
      if !hasRun.load(ordering: .sequentiallyConsistent) {
        let reason = HangingCalls.texts.first.map { ": \($0)" } ?? ""
        TextOutput.error.writeMessage("penstock: cancelled before the run began\(reason)")
      }
      ExitStatus.cancelled.finishAtOnce()
    }
  }

  /// Returns whether a pending signal stays pending, because no thread that shows a run takes it.
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
