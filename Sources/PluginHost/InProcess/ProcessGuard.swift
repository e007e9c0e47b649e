import CPluginGuard
import Synchronization

/// Reports what plugins do to this process: ending it by `exit`, by executing another program or by a crash, and not returning from a call.
///
/// For programs that have their process to themselves, as it changes the effect of fatal signals and `exit`. Two things go unnoticed: a plugin that
/// ends the process by a direct system call, and a stack overflow on a plugin's own thread.
package enum ProcessGuard {
  /// How long a call may take before it counts as one that never returns.
  package static let patience = Duration.seconds(10)

  /// Starts guarding. Call it before a plugin is loaded into this process; once is enough.
  ///
  /// - Parameters:
  ///   - status: The exit status of the process if a plugin calls `exit`.
  ///   - end: Called on the watchdog's thread with a message about a call that has not returned for ``patience``. Anything that waits for the call
  ///     waits forever, so it must end the process.
  package static func begin(status: Int32, whenOverdue end: @escaping @Sendable (_ message: String) -> Void) {
    // If the guard cannot be set up, the process runs without it.
    guard penstock_guard_begin(status) == 0 else { return }
    CallWatchdog.shared.whenOverdue { call in
      // A call that has crashed does not return either.
      guard penstock_guard_is_crashing() == 0 else { return }
      end(
        "\(call.text) has not returned for \(patience.brief) and blocks everything that waits for it; "
          + "with 'isolation: process', only the plugin's own process would end")
    }
  }

  /// Makes SIGSEGV and similar signals terminate the process by that signal, even if they were merely sent: Swift's own handler, which prints
  /// backtraces, would then let the process continue. ``begin(status:whenOverdue:)`` does the same.
  package static func endByFaults() { _ = penstock_guard_end_by_faults() }

  /// Sets the text that reports append: what is interrupted, and what to do about it. Empty for none.
  package static func advise(_ text: String) {
    current.withLock { $0 = text }
    penstock_guard_advise(text)
  }

  /// The text last passed to ``advise(_:)``.
  package static var advice: String { current.withLock { $0 } }

  private static let current = Mutex("")

  /// Stops guarding: from now on, the program ends the process itself, with this status.
  package static func release(status: Int32) { penstock_guard_release(status) }
}
