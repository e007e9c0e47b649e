/// The path of a secret's file.
enum SecretFile {
  /// The variable that systemd sets to the directory of a service's credentials.
  static let folderVariable = "CREDENTIALS_DIRECTORY"

  /// Returns the absolute path: a relative path is resolved against `directory`, and a leading `$CREDENTIALS_DIRECTORY/` is replaced by the value of
  /// that variable. Returns nil if the variable is not set.
  static func absolute(_ path: String, in directory: String, _ variables: ProcessEnvironment) -> String? {
    for beginning in ["$\(folderVariable)/", "${\(folderVariable)}/"] where path.hasPrefix(beginning) {
      guard let folder = variables[folderVariable], folder.hasPrefix("/") else { return nil }
      return "\(folder)/\(path.dropFirst(beginning.count))"
    }
    return path.hasPrefix("/") ? path : "\(directory)/\(path)"
  }
}
