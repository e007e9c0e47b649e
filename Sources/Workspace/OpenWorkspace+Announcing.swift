import Glibc

extension OpenWorkspace {
  /// Notifies other processes of a commit that they may be waiting for. Must be called after the commit.
  ///
  /// A commit's write is noticed before it is visible, so a process interrupted between the two would keep others waiting. This touches the database once
  /// more, which makes waiting processes check again. A host with a version up to schema 6 waits for the file `workspace.notify`, if it exists. This never
  /// fails: waiting processes also check periodically.
  package func announce() {
    _ = lutimes(path, nil)
    guard let descriptor = try? OwnFile.open("workspace.notify", in: directory, O_WRONLY) else { return }
    defer { Glibc.close(descriptor) }
    pwrite(descriptor, "\n", 1, 0)
  }
}
