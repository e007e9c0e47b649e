import Glibc
import PluginHost

extension PluginInstaller {
  /// Installs a plugin that a lock pins for this computer, unless it is already installed.
  ///
  /// The lines for this computer are tried in order: one whose file cannot be fetched, or is not the pinned one, is followed by the next.
  ///
  /// - Parameters:
  ///   - id: The id of the plugin.
  ///   - lock: The lock.
  /// - Returns: What was done.
  /// - Throws: Why it cannot be installed.
  public func install(_ id: String, of lock: PluginLock) throws(InstallationError) -> InstalledPlugin {
    let lines = lock.ownLines(id)
    guard !lines.isEmpty else {
      let others = lock.lines.filter { $0.id == id }.compactMap(\.architecture)
      throw InstallationError(
        .notLocked,
        "'\(lock.path)' pins the plugin '\(id)' only for \(others.joined(separator: ", ")), and this computer is \(ProcessorArchitecture.own); "
          + "add the file for it with 'penstock plugins add'")
    }
    if let present = try present(id, lines) { return present }
    var failures: [InstallationError] = []
    for line in lines {
      guard let location = line.location else { continue }
      do throws(InstallationError) {
        let source: InstallationSource
        if let path = lock.file(of: line) {
          source = .file(path: path)
        } else {
          source = try InstallationSource(location)
        }
        return try publish(try examine(source, sha256: line.sha256, as: id), isReplacing: true, lock: nil)
      } catch {
        // What this computer lacks, another line lacks as well.
        guard error.kind != .system, !error.isCancellation else { throw error }
        failures.append(error)
      }
    }
    guard let first = failures.first else {
      throw InstallationError(
        .notLocked,
        "'\(lock.path)' has no URL or path for the plugin '\(id)'; write one at the end of its line, or add the plugin with "
          + "'penstock plugins add'")
    }
    throw first.followed(by: failures.dropFirst())
  }

  /// Returns the plugin that is found by its id, if the lock pins its hash; nil if it must be installed.
  private func present(_ id: String, _ lines: [PluginLock.Line]) throws(InstallationError) -> InstalledPlugin? {
    let folder = try requireFolder()
    do throws(PluginError) {
      let file = try finder.find(id)
      let hash = try PluginVerifier().verify(file).sha256()
      if let line = lines.first(where: { $0.sha256 == hash }) {
        return InstalledPlugin(
          outcome: .present, id: id, version: line.version, sha256: hash, path: file.foundPath)
      }
      guard folder.contains(file.foundPath) else {
        throw PluginError(
          .hashMismatch,
          "'\(file.foundPath)' has the SHA-256 \(hash), and the lock pins '\(id)' to \(lines.map(\.sha256).joined(separator: " or ")); "
            + "remove that file, or pin it with 'penstock plugins verify --write'")
      }
      return nil
    } catch {
      if error.code == .notFound { return nil }
      // An unusable file in the folder is replaced.
      if let found = try? finder.find(id), folder.contains(found.foundPath) { return nil }
      throw InstallationError(error)
    }
  }

  /// Removes a plugin from the folder, and its lines from a lock.
  ///
  /// - Parameters:
  ///   - id: The id of the plugin.
  ///   - path: The path of the lock, which need not exist.
  /// - Returns: The path of the file that was removed, if there was one, and the removed lines.
  /// - Throws: `plugin-not-found` if there is neither a file nor a line, `plugin-folder` or `plugin-lock`.
  public func remove(_ id: String, lock path: String) throws(InstallationError) -> (
    file: String?, lines: [PluginLock.Line]
  ) {
    let folder = try requireFolder()
    let found: Result<PluginFile, PluginError>
    do throws(PluginError) { found = .success(try file(id, in: folder)) } catch { found = .failure(error) }
    do throws(PluginError) {
      // An invalid lock is reported before anything is removed.
      let isPinned = try PluginLock.read(path)?.ids.contains(id) ?? false
      if case .failure(let error) = found, error.code != .notFound || !isPinned { throw error }
    } catch {
      throw InstallationError(error)
    }
    guard case .success(let file) = found else { return (nil, try unpin(id, in: path)) }
    let lines = try folder.withLock { () throws(InstallationError) in
      guard unlink(file.foundPath) == 0 || errno == ENOENT else { throw .folder("remove", file.foundPath) }
      folder.sync()
      return try unpin(id, in: path, isDirectoryLocked: folder.containsLock(path))
    }
    return (file.foundPath, lines)
  }

  private func unpin(
    _ id: String, in path: String, isDirectoryLocked: Bool = false
  ) throws(InstallationError) -> [PluginLock.Line] {
    do throws(PluginError) {
      return try PluginLock.update(path, isDirectoryLocked: isDirectoryLocked) { (lock) throws(PluginError) in
        lock.remove(id)
      }
    } catch {
      throw InstallationError(error)
    }
  }

  /// Returns the file of a plugin in the folder.
  private func file(_ id: String, in folder: PluginFolder) throws(PluginError) -> PluginFile {
    do throws(PluginError) {
      return try PluginFinder(directories: [PluginDirectory(path: folder.path)]).find(id)
    } catch {
      guard error.code == .notFound, let elsewhere = try? finder.find(id) else { throw error }
      throw PluginError(
        .ambiguous,
        "the plugin '\(id)' is '\(elsewhere.foundPath)', which 'penstock plugins add' did not install; "
          + (elsewhere.isStandard ? "it comes with Penstock" : "remove that file"))
    }
  }
}
