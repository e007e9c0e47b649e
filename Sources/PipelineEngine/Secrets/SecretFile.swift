/// Where the file of a secret is.
enum SecretFile {
  /// The variable that systemd sets to the folder of a service's credentials.
  static let folderVariable = "CREDENTIALS_DIRECTORY"

  /// The absolute path: a relative one starts from `directory`, and `$CREDENTIALS_DIRECTORY/` at the beginning stands for what that variable holds. Nil where it
  /// is not set.
  static func absolute(_ path: String, in directory: String, _ variables: ProcessEnvironment) -> String? {
    for beginning in ["$\(folderVariable)/", "${\(folderVariable)}/"] where path.hasPrefix(beginning) {
      guard let folder = variables[folderVariable], folder.hasPrefix("/") else { return nil }
      return "\(folder)/\(path.dropFirst(beginning.count))"
    }
    return path.hasPrefix("/") ? path : "\(directory)/\(path)"
  }
}
