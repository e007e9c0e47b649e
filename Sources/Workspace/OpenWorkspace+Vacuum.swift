import SQLite

extension OpenWorkspace {
  /// Writes the database anew without the space that deleted rows have left, so that the file becomes as small as it can.
  ///
  /// Needs as much free space again as the database takes up. Other processes wait for as long as it lasts, and give up after 30 s; so
  /// nothing should be running.
  public func vacuum() throws {
    do {
      try writer().vacuum()
    } catch {
      throw WorkspaceError(error, path: path)
    }
    feed.publish(.unknown)
  }
}
