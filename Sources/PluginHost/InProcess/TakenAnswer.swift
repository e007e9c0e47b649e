import CPluginGuard
import PluginABI
import Values

/// The answer that a plugin gives the host within `between` of penstock.instants/1.
///
/// Only the thread that makes that call uses it.
final class TakenAnswer {
  private var texts = 0
  private var json: Result<JSONValue?, PluginMistake.Kind> = .success(nil)

  /// The contract's callback.
  static let take: penstock_take = { context, text in
    guard let context else { return }
    penstock_guard_enter_host()
    defer { penstock_guard_leave_host() }
    let answer = Unmanaged<TakenAnswer>.fromOpaque(context).takeUnretainedValue()
    answer.texts += 1
    answer.json = PluginText.json(text)
  }

  /// Returns the outcome, given the status that the call returned. It has no value if the plugin cannot say.
  ///
  /// - Parameters:
  ///   - status: The status that the call returned.
  ///   - name: The offer that was asked, such as `controller 'cron' of plugin 'cron'`.
  /// - Returns: The unchecked answer, or why it is invalid.
  func outcome(_ status: PluginStatus, of name: String) -> Result<JSONValue?, PluginFailure> {
    func malformed(_ what: String) -> Result<JSONValue?, PluginFailure> {
      .failure(PluginFailure(code: .malformed, message: "\(name) \(what)"))
    }
    switch status {
    case .ok: break
    case .unavailable: return .success(nil)
    default: return malformed("could not report its next instants (status \(status))")
    }
    guard texts == 1 else {
      return malformed("answered \(texts == 0 ? "nothing" : "\(texts) times") when it was asked for its next instants")
    }
    switch json {
    case .success(let value?): return .success(value)
    case .success(nil): return malformed("answered with empty text when it was asked for its next instants")
    case .failure: return malformed("answered with text that is not JSON when it was asked for its next instants")
    }
  }
}
