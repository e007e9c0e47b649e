import Glibc
import PipelineLanguage
import Workspace

/// The environment variable `PENSTOCK_DURABILITY`: what failures the end of a run and an approval survive once they are reported.
enum DurabilitySetting {
  private static let name = "PENSTOCK_DURABILITY"

  /// Returns the value of the variable. Default, also if it is empty: `power-loss`.
  static func value() throws -> Durability {
    guard let text = getenv(name).map({ String(cString: $0) }), !text.isEmpty else { return .powerLoss }
    guard let durability = Durability(rawValue: text) else {
      throw CommandFailure(
        "\(name) is '\(TerminalText.visible(text))'; it must be \(Durability.allCases.map(\.rawValue).joined(separator: " or "))"
      )
    }
    return durability
  }
}
