import Glibc

/// Where the workspace of a command is, and how that was found out.
package struct WorkspaceLocation: Sendable, Hashable {
  /// What decided.
  package enum Origin: String, Sendable {
    /// The option `--workspace`.
    case option
    /// The variable `PENSTOCK_WORKSPACE`.
    case environment
    /// A directory `.penstock` in the current directory or above it.
    case nearest
    /// The user's state directory.
    case state
  }

  /// What the search asks the computer.
  package struct Surroundings {
    package var currentDirectory: String
    package var variable: (String) -> String?
    /// The home directory when `HOME` does not say.
    package var home: () -> String?
    /// Whether there is a directory at the path that belongs to the user.
    package var isOwnDirectory: (String) -> Bool

    package init(
      currentDirectory: String, variable: @escaping (String) -> String?, home: @escaping () -> String?,
      isOwnDirectory: @escaping (String) -> Bool
    ) {
      self.currentDirectory = currentDirectory
      self.variable = variable
      self.home = home
      self.isOwnDirectory = isOwnDirectory
    }
  }

  /// The directory, absolute.
  package var path: String
  package var origin: Origin

  /// Finds the workspace; nil when nothing says where the user's state directory is.
  ///
  /// A `.penstock` of somebody else is passed over: `resume` executes what a workspace holds, so that one left in `/tmp` must not
  /// be taken for one's own.
  package static func find(option: String?, in surroundings: Surroundings = .current) -> WorkspaceLocation? {
    let directory = surroundings.currentDirectory
    if let option { return WorkspaceLocation(path: absolute(option, from: directory), origin: .option) }
    if let value = surroundings.variable("PENSTOCK_WORKSPACE"), !value.isEmpty {
      return WorkspaceLocation(path: absolute(value, from: directory), origin: .environment)
    }
    var place = directory[...]
    while true {
      let candidate = (place == "/" ? "" : String(place)) + "/.penstock"
      if surroundings.isOwnDirectory(candidate) { return WorkspaceLocation(path: candidate, origin: .nearest) }
      guard let slash = place.lastIndex(of: "/"), place != "/" else { break }
      place = slash == place.startIndex ? "/" : place[..<slash]
    }
    // The XDG specification has relative paths ignored.
    if let state = surroundings.variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      return WorkspaceLocation(path: absolute(state + "/penstock", from: directory), origin: .state)
    }
    let home = surroundings.variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? surroundings.home()
    return home.map {
      WorkspaceLocation(path: absolute($0 + "/.local/state/penstock", from: directory), origin: .state)
    }
  }

  /// Whether there is a database in the directory. Where a directory may not be entered, nobody knows: it counts as there, so that to open it tells
  /// of the permission.
  package var hasDatabase: Bool {
    faccessat(AT_FDCWD, path + "/workspace.db", F_OK, AT_EACCESS) == 0 || errno == EACCES
  }

  private static func absolute(_ path: String, from directory: String) -> String {
    var path = path.hasPrefix("/") ? path : (directory == "/" ? "/" : directory + "/") + path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

extension WorkspaceLocation.Surroundings {
  /// The surroundings of this process.
  package static var current: Self {
    var directory = "/"
    if let path = getcwd(nil, 0) {
      directory = String(cString: path)
      free(path)
    }
    return Self(
      currentDirectory: directory,
      variable: { getenv($0).map { String(cString: $0) } },
      home: { getpwuid(geteuid())?.pointee.pw_dir.map { String(cString: $0) } },
      isOwnDirectory: { path in
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      }
    )
  }
}
