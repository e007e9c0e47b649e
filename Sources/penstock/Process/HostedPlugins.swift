import CEndOfProcess
import CProcess
import CWorkerMonitor
import Glibc
import PluginHost
import Synchronization

/// Prepares this process before the first plugin is loaded into it; see ``ProcessGuard``.
///
/// A command that loads no plugin incurs no cost.
enum HostedPlugins {
  /// Prepares the process, once.
  static func prepare() { _ = preparation }

  /// Whether plugins may have been loaded.
  static var arePrepared: Bool { hasBegun.load(ordering: .acquiring) }

  private static let hasBegun = Atomic(false)

  /// Hides the secrets in this process from plugins that run in processes of their own, once.
  static func hide() { _ = hiding }

  // A process that cannot be hidden runs all the same.
  private static let hiding: Void = { _ = penstock_hide_process() }()

  private static let preparation: Void = {
    hasBegun.store(true, ordering: .releasing)
    // A plugin's output must not be mixed into the lines that a program reads.
    TextOutput.standard.setApart()
    ProcessGuard.begin(status: ExitStatus.engineFailed.rawValue) { message in
      let advice = ProcessGuard.advice
      TextOutput.error.writeMessage("penstock: \(message)\(advice.isEmpty ? "" : "; \(advice)")")
      ExitStatus.engineFailed.finishAtOnce()
    }
  }()
}

extension ExitStatus {
  /// Ends the process immediately, without waiting for anything.
  func finishAtOnce() -> Never {
    penstock_restore_terminal()
    ProcessGuard.release(status: rawValue)
    _exit(rawValue)
  }
}
