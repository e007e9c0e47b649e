extension OpenWorkspace {
  /// What this workspace's flushes to the disk wait for.
  public var durability: Durability { files.durability }

  /// Returns once everything committed through this object is on disk: one `fdatasync` of the write-ahead log. Commits do not wait for the disk, so call
  /// this before reporting what must survive a power loss.
  ///
  /// Does not wait with ``Durability/process``, or if nothing was committed since the last time. Fails with ``WorkspaceError/full(path:)`` or
  /// ``WorkspaceError/io(path:code:message:)`` if the disk fails; everything remains committed. Fails with ``WorkspaceError/moved(path:)``, whatever the
  /// durability, if the committed data could no longer be found.
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

  /// Checks that the database is still where it was opened: one `stat`.
  ///
  /// - Throws: ``WorkspaceError/moved(path:)`` if it was deleted, moved or replaced.
  package func requirePlace() throws(WorkspaceError) {
    do {
      try writer().requirePlace()
    } catch {
      throw WorkspaceError(error, path: path)
    }
  }

  /// A file that exists beside the database while a connection is open, and that writing does not touch: a watch on it is woken when the workspace is
  /// deleted or moved, and rarely otherwise.
  package var companionPath: String { path + "-shm" }
}
