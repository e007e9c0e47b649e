import Glibc
import PipelineLanguage

/// The environment variable `PENSTOCK_LOG_TIMES`: whether the host records when, and in which order, the logs of operations grow.
enum LogTimesSetting {
  private static let name = "PENSTOCK_LOG_TIMES"

  /// Returns the value of the variable. Default, also if it is empty: `on`.
  static func value() throws -> Bool {
    switch getenv(name).map({ String(cString: $0) }) ?? "" {
    case "", "on": return true
    case "off": return false
    case let text:
      throw CommandFailure("\(name) is '\(TerminalText.visible(text))'; it must be on or off")
    }
  }
}
