import CEndOfProcess
import CProcess
import CWorkerMonitor
import Glibc
import PluginHost
import Synchronization

/// What this process does before plugins are loaded into it, which is before the first of them; see ``ProcessGuard``.
///
/// A command that loads none pays for nothing of this.
enum HostedPlugins {
  /// Gets ready, once.
  static func prepare() { _ = preparation }

  /// Whether plugins may have been loaded.
  static var arePrepared: Bool { hasBegun.load(ordering: .acquiring) }

  private static let hasBegun = Atomic(false)

  /// Keeps the secrets in this process from the plugins that it runs in processes of their own, once.
  static func hide() { _ = hiding }

  // A process that cannot be hidden runs as it would have without.
  private static let hiding: Void = { _ = penstock_hide_process() }()

  private static let preparation: Void = {
    hasBegun.store(true, ordering: .releasing)
    // What a plugin prints must not stand between the lines that a program reads.
    TextOutput.standard.setApart()
    ProcessGuard.begin(status: ExitStatus.engineFailed.rawValue) { message in
      let advice = ProcessGuard.advice
      TextOutput.error.writeLine("penstock: \(message)\(advice.isEmpty ? "" : "; \(advice)")")
      ExitStatus.engineFailed.finishAtOnce()
    }
  }()
}

extension ExitStatus {
  /// Ends the process without waiting for anything.
  func finishAtOnce() -> Never {
    penstock_restore_terminal()
    ProcessGuard.release(status: rawValue)
    _exit(rawValue)
  }
}
