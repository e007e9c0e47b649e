extension OpenWorkspace {
  /// What this workspace's flushes to the disk wait for.
  public var durability: Durability { files.durability }

  /// Returns when everything that was committed through this object is on the disk: one `fdatasync` of the write-ahead log. Commits go on without
  /// one, so this is for what must survive a power loss before somebody is told of it.
  ///
  /// Waits for nothing with ``Durability/process``, and where nothing was committed since the last time. Fails with
  /// ``WorkspaceError/full(path:)`` or ``WorkspaceError/io(path:code:message:)`` where the disk does; everything is committed all the same. Fails with
  /// ``WorkspaceError/moved(path:)``, whatever the durability, where nobody would find what was committed.
  public func flushToDisk() throws {
    do {
      let writer = try writer()
      try writer.requirePlace()
      guard durability == .powerLoss else { return }
      try writer.flushToDisk()
    } catch {
      throw WorkspaceError(error, path: path)
    }
  }

  /// Makes sure that the database is where it was when it was opened: one `stat`.
  ///
  /// - Throws: ``WorkspaceError/moved(path:)`` where it was deleted, moved or replaced.
  package func requirePlace() throws(WorkspaceError) {
    do {
      try writer().requirePlace()
    } catch {
      throw WorkspaceError(error, path: path)
    }
  }

  /// A file that is beside the database for as long as a connection is open, and that writing does not touch: a watch of it is woken when the workspace is deleted
  /// or moved, and seldom otherwise.
  package var companionPath: String { path + "-shm" }
}
