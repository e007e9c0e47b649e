import Glibc

extension OpenWorkspace {
  /// Tells other processes that a commit is there which they may wait for. To be called after it.
  ///
  /// A commit is seen to be written before it is visible, so that a process which is interrupted between the two would be waited for in vain. This touches the
  /// database once more, which whoever waits takes for a reason to look. A host of a version up to schema 6 waits for the file `workspace.notify`, where
  /// that is there. It never fails: whoever waits looks now and then in any case.
  package func announce() {
    _ = lutimes(path, nil)
    guard let descriptor = try? OwnFile.open("workspace.notify", in: directory, O_WRONLY) else { return }
    defer { Glibc.close(descriptor) }
    pwrite(descriptor, "\n", 1, 0)
  }
}
