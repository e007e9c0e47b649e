import Workspace

extension WorkspaceError {
  /// Whether the database file is damaged, or no longer a database, so that it can be set aside and what can be saved copied to a new one.
  package var isDamage: Bool {
    switch self {
    case .corrupt, .notAWorkspace(_, reason: "the file is not a database"): true
    default: false
    }
  }

  /// The same as ``description``, for users of the command-line tool.
  package var advice: String {
    switch self {
    case .corrupt(let path, let message): "\(path) is damaged (\(message))\(Self.repair)."
    case .notAWorkspace(let path, _) where isDamage:
      "\(path) is not a database, or its beginning is damaged\(Self.repair)."
    case .cannotCreate(let path, let reason):
      "cannot create a workspace at \(path): \(reason). Choose a directory that you can write to with --workspace."
    default: description
    }
  }

  /// What to do about a damaged database, as the end of a sentence.
  static let repair = ". `penstock doctor --repair` renames it and copies the readable data into a new one"
}
