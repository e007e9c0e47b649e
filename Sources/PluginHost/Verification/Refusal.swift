/// The reason why a file is not loaded, without the file's name: the end of "the plugin '…' is refused: ".
struct Refusal: Error, Hashable {
  let code: PluginError.Code
  /// What is wrong.
  let reason: String
  /// What to do about it.
  let fix: String

  init(_ code: PluginError.Code, _ reason: String, fix: String) {
    self.code = code
    self.reason = reason
    self.fix = fix
  }

  /// Returns the refusal of a shared object whose content is invalid.
  static func damaged(_ reason: String) -> Refusal {
    Refusal(.notASharedObject, "it is damaged: \(reason)", fix: "build or install it again")
  }

  /// Returns the error that names the file.
  func error(for path: String) -> PluginError {
    PluginError(code, "the plugin \(path.quotedForMessage) is refused: \(reason); \(fix)")
  }
}
