/// Why a file is not loaded, before it is said which: the end of "the plugin '…' is refused: ".
struct Refusal: Error, Hashable {
  let code: PluginError.Code
  /// What is the matter.
  let reason: String
  /// What to do about it.
  let fix: String

  init(_ code: PluginError.Code, _ reason: String, fix: String) {
    self.code = code
    self.reason = reason
    self.fix = fix
  }

  /// The file is a shared object, or was one, and something in it cannot be.
  static func damaged(_ reason: String) -> Refusal {
    Refusal(.notASharedObject, "it is damaged: \(reason)", fix: "build or install it again")
  }

  /// The error that says which file it is.
  func error(for path: String) -> PluginError {
    PluginError(code, "the plugin \(path.quotedForMessage) is refused: \(reason); \(fix)")
  }
}
