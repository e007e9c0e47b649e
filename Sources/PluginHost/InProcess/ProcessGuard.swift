import CPluginGuard
import Synchronization

/// Reports what plugins in this process do to it: that one ends it by `exit`, another program or a crash, or does not return from a call.
///
/// For a program that has its process to itself, as it changes what fatal signals and `exit` do. What cannot be noticed: a plugin that ends
/// the process by a system call of its own, and the overflow of the stack of a plugin's own thread.
package enum ProcessGuard {
  /// How long a call may take before it counts as one that never returns.
  package static let patience = Duration.seconds(10)

  /// Begins. To be called before a plugin is loaded into this process; once is enough.
  ///
  /// - Parameters:
  ///   - status: What the process ends with where a plugin calls `exit`.
  ///   - end: Called on the watchdog's thread with a message about a call that has not returned for ``patience``: whoever waits for it waits for
  ///     ever, so it ends the process.
  package static func begin(status: Int32, whenOverdue end: @escaping @Sendable (_ message: String) -> Void) {
    // What it cannot watch over runs as it would have without it.
    guard penstock_guard_begin(status) == 0 else { return }
    CallWatchdog.shared.whenOverdue { call in
      // The call that has crashed does not return either.
      guard penstock_guard_is_crashing() == 0 else { return }
      end(
        "\(call.text) has not returned for \(patience.brief), and whatever waits for it waits for ever; "
          + "with 'isolation: process' only the plugin's own process would end")
    }
  }

  /// Makes SIGSEGV and its like end the process by that signal, also where they were only sent: Swift's own handler, which prints where the threads
  /// are, would let the process go on then. ``begin(status:whenOverdue:)`` does the same.
  package static func endByFaults() { _ = penstock_guard_end_by_faults() }

  /// What a report is to add: what is interrupted, and what to do about it. Empty for nothing.
  package static func advise(_ text: String) {
    current.withLock { $0 = text }
    penstock_guard_advise(text)
  }

  /// What ``advise(_:)`` was told last.
  package static var advice: String { current.withLock { $0 } }

  private static let current = Mutex("")

  /// The program ends the process itself from here on, with this status.
  package static func release(status: Int32) { penstock_guard_release(status) }
}
