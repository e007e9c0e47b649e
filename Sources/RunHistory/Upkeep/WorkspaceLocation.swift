import Glibc
import OperatingSystem

/// The location of a command's workspace, and how it was determined.
package struct WorkspaceLocation: Sendable, Hashable {
  /// The name of the network file system that it is on; nil if it is local.
  package var networkFileSystem: String? { FileSystem.networkName(at: path) }

  /// What determined the location.
  package enum Origin: String, Sendable {
    /// The option `--workspace`.
    case option
    /// The variable `PENSTOCK_WORKSPACE`.
    case environment
    /// A directory `.penstock` beside the pipeline file or above it; for a command without a file, in the current directory or above it.
    case nearest
    /// The user's state directory.
    case state
  }

  /// What exists at a possible path of a workspace.
  package enum Candidate: Sendable {
    case none
    /// A directory of this user.
    case own
    /// A directory of another user, or one that another user's link leads to.
    case foreign
  }

  /// What the search reads from the computer.
  package struct Surroundings {
    package var currentDirectory: String
    package var variable: (String) -> String?
    /// The home directory if `HOME` is not set.
    package var home: () -> String?
    /// What exists at an absolute path.
    package var candidate: (String) -> Candidate
    /// The absolute path of a file, following links.
    package var resolved: (String) -> String

    package init(
      currentDirectory: String, variable: @escaping (String) -> String?, home: @escaping () -> String?,
      candidate: @escaping (String) -> Candidate, resolved: @escaping (String) -> String
    ) {
      self.currentDirectory = currentDirectory
      self.variable = variable
      self.home = home
      self.candidate = candidate
      self.resolved = resolved
    }
  }

  /// The absolute path of the directory.
  package var path: String
  package var origin: Origin
  /// The directory in which the search for `.penstock` began; nil if there was no search.
  package var start: String?
  /// The first `.penstock` of another user that the search found.
  package var ignored: String?

  package init(path: String, origin: Origin, start: String? = nil, ignored: String? = nil) {
    self.path = path
    self.origin = origin
    self.start = start
    self.ignored = ignored
  }

  /// Finds the workspace; returns nil if the user's state directory cannot be determined.
  ///
  /// For a pipeline file, the workspace is the same whatever the current directory and whatever links lead to the file, so that locks and the history
  /// do not depend on these. A `.penstock` of another user is ignored: `resume` executes what a workspace contains, so one planted in `/tmp` must not
  /// be used.
  ///
  /// `file` is the pipeline file of the command; nil if it has none.
  package static func find(
    option: String?, file: String? = nil, in surroundings: Surroundings = .current
  ) -> WorkspaceLocation? {
    let directory = surroundings.currentDirectory
    if let option { return WorkspaceLocation(path: absolute(option, from: directory), origin: .option) }
    if let value = surroundings.variable("PENSTOCK_WORKSPACE"), !value.isEmpty {
      return WorkspaceLocation(path: absolute(value, from: directory), origin: .environment)
    }
    let start = file.flatMap { self.directory(of: $0, in: surroundings) } ?? directory
    var ignored: String?
    var place = start[...]
    while true {
      let candidate = (place == "/" ? "" : String(place)) + "/.penstock"
      switch surroundings.candidate(candidate) {
      case .own: return WorkspaceLocation(path: candidate, origin: .nearest, start: start, ignored: ignored)
      case .foreign: ignored = ignored ?? candidate
      case .none: break
      }
      guard let slash = place.lastIndex(of: "/"), place != "/" else { break }
      place = slash == place.startIndex ? "/" : place[..<slash]
    }
    func state(_ path: String) -> WorkspaceLocation {
      WorkspaceLocation(path: absolute(path, from: directory), origin: .state, start: start, ignored: ignored)
    }
    // The XDG specification requires relative paths to be ignored.
    if let home = surroundings.variable("XDG_STATE_HOME"), home.hasPrefix("/") { return state(home + "/penstock") }
    let home = surroundings.variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? surroundings.home()
    return home.map { state($0 + "/.local/state/penstock") }
  }

  /// Returns the directory of a pipeline file, or nil if it has none, like standard input and pipes.
  private static func directory(of file: String, in surroundings: Surroundings) -> String? {
    let given = absolute(file, from: surroundings.currentDirectory)
    let resolved = surroundings.resolved(given)
    let isStream = [given, resolved].contains { $0.hasPrefix("/dev/") || $0.hasPrefix("/proc/") }
    return isStream ? nil : PathText.directory(of: resolved)
  }

  /// How the workspace was chosen, to be shown in parentheses after its path.
  package var originText: String {
    switch origin {
    case .option: "from --workspace"
    case .environment: "from $PENSTOCK_WORKSPACE"
    case .nearest: "the nearest .penstock upward from '\(start ?? "/")'\(ignoredText)"
    case .state: "in the state directory because you have no .penstock in '\(start ?? "/")' or above\(ignoredText)"
    }
  }

  /// What was searched without success, for a sentence.
  package var searchText: String {
    guard origin == .state else { return "there is no workspace at '\(path)' (\(originText))" }
    return
      "found no workspace: looked for .penstock in '\(start ?? "/")' and its parent directories, and for '\(path)'\(ignoredText)"
  }

  private var ignoredText: String {
    ignored.map { "; ignored '\($0)', which belongs to another user" } ?? ""
  }

  /// Whether there is a database in the directory. If the directory is not accessible, this is unknown and counts as true, so that opening it reports
  /// the missing permission.
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
      candidate: { path in
        var (link, directory) = (stat(), stat())
        guard lstat(path, &link) == 0, stat(path, &directory) == 0, directory.st_mode & S_IFMT == S_IFDIR else {
          return .none
        }
        // The owner of the link could redirect it to any other directory of this user.
        return directory.st_uid == geteuid() && [geteuid(), 0].contains(link.st_uid) ? .own : .foreign
      },
      resolved: PathText.absolute
    )
  }
}
