import Glibc
import PipelineLanguage

/// The environment variable `PENSTOCK_LOG_TIMES`: whether the host notes when, and in which order, the logs of operations grow.
enum LogTimesSetting {
  private static let name = "PENSTOCK_LOG_TIMES"

  /// What the variable says. Default `on`, also where it is empty.
  static func value() throws -> Bool {
    switch getenv(name).map({ String(cString: $0) }) ?? "" {
    case "", "on": return true
    case "off": return false
    case let text:
      throw CommandFailure("\(name) is '\(TerminalText.visible(text))'; it must be on or off")
    }
  }
}
