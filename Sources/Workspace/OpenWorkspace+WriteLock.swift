extension OpenWorkspace {
  /// How long a transaction waits for other processes before it fails with ``WorkspaceError/locked(path:)``.
  package var longestWait: Duration { connections.withLock { $0.writer }?.longestWait ?? .seconds(files.patience) }

  /// Limits how long transactions wait from now on.
  ///
  /// - Throws: ``WorkspaceError`` if there is no connection to write with.
  package func wait(atMost limit: Duration) throws { try writer().longestWait = limit }
}
