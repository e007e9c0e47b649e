import Glibc
import OperatingSystem
import PluginHost

/// Adds third-party plugins to the user's folder, and removes them.
///
/// All methods block the calling thread, which must not belong to the cooperative pool.
public struct PluginInstaller: Sendable {
  /// How long a plugin may take for one check before it counts as hung. Checking one takes milliseconds.
  private static let patience = Duration.seconds(10)
  /// The checks that concern the plugin as a whole. Those of its offers would create them, which the user has not confirmed yet.
  private static let checks = PluginCheck.allCases.filter { !$0.isOfOffer }

  /// The folder for third-party plugins; nil if there is no home directory.
  public let folder: String?
  /// Finds the plugins that exist, in the folder and elsewhere.
  public let finder: PluginFinder
  /// The configuration of the loader that reads descriptions in child hosts.
  public let loading: PluginLoader.Configuration
  /// The program and arguments of the process of a check; see ``PluginValidation/child``.
  public let checkChild: [String]
  /// Deletes the temporary files if a signal arrives.
  public let temporaries: TemporaryFiles

  /// Creates an installer.
  public init(
    folder: String? = PluginDirectory.added()?.path, finder: PluginFinder, loading: PluginLoader.Configuration,
    checkChild: [String], temporaries: TemporaryFiles = TemporaryFiles()
  ) {
    self.folder = folder
    self.finder = finder
    self.loading = loading
    self.checkChild = checkChild
    self.temporaries = temporaries
  }

  func requireFolder() throws(InstallationError) -> PluginFolder {
    guard let folder else {
      throw InstallationError(
        .folder,
        "there is no folder for plugins, because HOME is not set to an absolute path; set it to your home directory"
      )
    }
    return PluginFolder(path: folder)
  }

  // MARK: Adding

  /// Fetches a plugin into a temporary file, and checks it in child processes.
  ///
  /// - Parameters:
  ///   - source: Where it comes from.
  ///   - sha256: The hash that it must have, in lower-case digits. A file with another one is neither parsed nor loaded.
  ///   - id: The id that it must have; nil for any.
  /// - Returns: The plugin, ready to be published.
  /// - Throws: Why it cannot be installed.
  public func examine(
    _ source: InstallationSource, sha256: String? = nil, as id: String? = nil
  ) throws(InstallationError) -> PluginCandidate {
    let folder = try requireFolder()
    try folder.prepare()
    let file = try TemporaryFile(in: folder.path, temporaries)
    let redirected = try PluginFetch(source: source).fetch(into: file)
    try file.complete()
    let (found, verified, hash) = try naming(source, file) { () throws(PluginError) in
      let hash = try PluginHash.sha256(of: file.descriptor, path: file.path)
      if let sha256, hash != sha256 {
        throw PluginError(
          .hashMismatch,
          "'\(source.shown)' has the SHA-256 \(hash), not \(sha256): it is another file, or was changed; ask its author for the right hash"
        )
      }
      let found = try PluginFile(at: file.path, origin: .commandLine)
      return (found, try PluginVerifier().verify(found), hash)
    }
    try check(file, source)
    return try naming(source, file) { () throws(PluginError) in
      let description = try describe(found)
      if let id, description.id != id {
        throw PluginError(
          .notFound, "'\(source.shown)' is the plugin '\(description.id)', not '\(id)'; fix the line of '\(id)'")
      }
      let former = try former(description.id)
      return PluginCandidate(
        source: source, redirected: redirected, description: description, verified: verified, sha256: hash,
        former: former, path: try target(description.id, former, hash, in: folder), file: file)
    }
  }

  /// Calls `body`, and lets its errors name the source instead of the temporary file.
  private func naming<Value>(
    _ source: InstallationSource, _ file: TemporaryFile, _ body: () throws(PluginError) -> Value
  ) throws(InstallationError) -> Value {
    do throws(PluginError) {
      return try body()
    } catch {
      let message = named(error.message, source, file)
      throw InstallationError(PluginError(error.code, message, isShortage: error.isShortage))
    }
  }

  private func named(_ message: String, _ source: InstallationSource, _ file: TemporaryFile) -> String {
    message.replacing(file.path, with: source.shown)
      .replacing("plugin '\(file.name)'", with: "plugin '\(source.shown)'")
  }

  private func check(_ file: TemporaryFile, _ source: InstallationSource) throws(InstallationError) {
    loading.willStartChildHost()
    var validation = PluginValidation(file: file.path, child: checkChild, only: Self.checks.map(\.rawValue))
    validation.patience = Self.patience
    let report = validation.run()
    for result in report.results {
      guard case .failed(let problems) = result.outcome, let problem = problems.first else { continue }
      throw InstallationError(
        .checkFailed,
        "the plugin '\(source.shown)' fails the check '\(result.check.rawValue)': \(named(problem, source, file)); report this to its author"
      )
    }
  }

  /// Returns the plugin's description, which a child host reads.
  private func describe(_ file: PluginFile) throws(PluginError) -> PluginDescription {
    let loader = PluginLoader(loading)
    defer { Task { await loader.shutDown() } }
    return try loader.plugin(in: file, PluginReference(isolation: .process)).description
  }

  private func former(_ id: String) throws(PluginError) -> PluginCandidate.Former? {
    let file: PluginFile
    do throws(PluginError) {
      file = try finder.find(id)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
    // An unusable plugin may be replaced too.
    let hash = try? PluginVerifier().verify(file).sha256()
    return PluginCandidate.Former(
      file: file, version: hash == nil ? nil : (try? describe(file))?.version, sha256: hash)
  }

  /// Returns the path that the plugin gets: that of the one that it replaces, or a new one.
  private func target(
    _ id: String, _ former: PluginCandidate.Former?, _ sha256: String, in folder: PluginFolder
  ) throws(PluginError) -> String {
    guard let former else { return "\(folder.path)/libpenstock-\(id).so" }
    guard former.sha256 != sha256, !folder.contains(former.file.foundPath) else { return former.file.foundPath }
    throw PluginError(
      .ambiguous,
      former.file.isStandard
        ? "the plugin '\(id)' comes with Penstock ('\(former.file.foundPath)'), and two files for one id cannot be used; ask the author of "
          + "the other one for another id"
        : "a plugin '\(id)' exists already at '\(former.file.foundPath)', and two files for one id cannot be used; remove that file, or remove "
          + "its directory from PENSTOCK_PLUGIN_PATH")
  }

  /// Installs a plugin, and writes its line of the lock.
  ///
  /// - Parameters:
  ///   - candidate: The plugin.
  ///   - isReplacing: Whether it may take the place of another version.
  ///   - lock: The path of the lock to write; nil for none.
  /// - Returns: What was done.
  /// - Throws: `plugin-installed` if another version is installed, `plugin-folder` or `plugin-lock`.
  public func publish(
    _ candidate: PluginCandidate, isReplacing: Bool, lock: String?
  ) throws(InstallationError) -> InstalledPlugin {
    if !candidate.isInstalled, candidate.former != nil, !isReplacing { throw Self.installed(candidate) }
    let folder = try requireFolder()
    // The line is written under the same lock, so that the last process that replaces a plugin is also the last that pins it.
    let outcome = try folder.withLock { () throws(InstallationError) in
      let outcome = try self.outcome(of: candidate)
      if outcome == .present {
        if let lock { try pin(candidate, in: lock, folder) }
        return outcome
      }
      try candidate.file.publish(as: candidate.path) { () throws(InstallationError) in
        folder.sync()
        if let lock { try pin(candidate, in: lock, folder) }
      }
      return outcome
    }
    return InstalledPlugin(
      outcome: outcome, id: candidate.description.id, version: candidate.description.version, sha256: candidate.sha256,
      path: candidate.path)
  }

  /// Returns what is to be done now. Throws if another process has installed another file or removed the plugin since it was examined.
  private func outcome(of candidate: PluginCandidate) throws(InstallationError) -> InstalledPlugin.Outcome {
    let id = candidate.description.id
    let now: PluginFile?
    do throws(PluginError) {
      now = try finder.find(id)
    } catch {
      guard error.code == .notFound else { throw InstallationError(error) }
      now = nil
    }
    if now?.identity == candidate.former?.file.identity {
      return candidate.isInstalled ? .present : candidate.former == nil ? .added : .replaced
    }
    // Several jobs of a CI system may install the same plugins at the same time.
    if let now, (try? PluginVerifier().verify(now).sha256()) == candidate.sha256 { return .present }
    throw InstallationError(
      .installed,
      "another process has changed the plugin '\(id)' meanwhile; run the command again to see what is there now")
  }

  private static func installed(_ candidate: PluginCandidate) -> InstallationError {
    let id = candidate.description.id
    let version = candidate.former?.version.map { "version \($0)" } ?? "a file that cannot be used"
    let path = candidate.former?.file.foundPath ?? candidate.path
    return InstallationError(
      .installed,
      "the plugin '\(id)' is already installed: '\(path)' is \(version), and '\(candidate.source.shown)' is version "
        + "\(candidate.description.version); add --replace to replace it")
  }

  private func pin(
    _ candidate: PluginCandidate, in path: String, _ folder: PluginFolder
  ) throws(InstallationError) {
    do throws(PluginError) {
      try PluginLock.update(path, isDirectoryLocked: folder.containsLock(path)) { (lock) throws(PluginError) in
        let id = candidate.description.id
        let former = lock.ownLines(id).first { $0.sha256 == candidate.sha256 }
        let location = candidate.source.location(in: lock)
        // A copy at hand does not replace the place where others get it.
        let isKept = if case .file = candidate.source { former?.location != nil } else { false }
        try lock.pin(
          PluginLock.Line(
            id: id, version: candidate.description.version, architecture: candidate.architecture,
            sha256: candidate.sha256, location: isKept ? former?.location : location))
      }
    } catch {
      throw InstallationError(
        PluginError(
          error.code, "'\(candidate.path)' is installed, but not pinned: \(error.message); then run the command again"))
    }
  }

  /// Checks that a lock is valid and can be written, before anything is fetched.
  ///
  /// - Parameter path: The path of the lock, which need not exist.
  /// - Throws: `plugin-lock`.
  public func requireLock(_ path: String) throws(InstallationError) {
    do throws(PluginError) { _ = try PluginLock.read(path) } catch { throw InstallationError(error) }
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(directory, W_OK | X_OK) != 0 else { return }
    throw InstallationError(
      PluginError(
        .lock,
        "cannot write '\(path)': \(SystemError.text(of: errno)); check its directory, or name another file with --lock")
    )
  }
}
