import SQLite

extension OpenWorkspace {
  /// Rewrites the database without the space left by deleted rows, so that the file becomes as small as possible.
  ///
  /// Needs as much free space again as the database occupies. Other processes wait meanwhile, and give up after 30 s, so nothing should be running.
  public func vacuum() throws {
    do {
      try writer().vacuum()
    } catch {
      throw WorkspaceError(error, path: path)
    }
    feed.publish(.unknown)
  }
}
