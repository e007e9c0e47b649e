/// What committed records survive once a program has reported them; see ``OrderedWriter/flushToDisk()`` and ``OpenWorkspace/flushToDisk()``.
///
/// With either value, every commit survives the death of the process, and the file is intact after a power loss.
public enum Durability: String, Sendable, CaseIterable {
  /// A power loss and a crash of the kernel: a flush waits for the disk, which takes about one `fdatasync`.
  case powerLoss = "power-loss"
  /// The death of the process: a flush waits only for the commit, and a power loss may lose the commits of the last seconds.
  case process
}
