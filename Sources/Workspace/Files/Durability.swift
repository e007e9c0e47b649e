/// What the records survive that a program has said are there; see ``OrderedWriter/flushToDisk()`` and ``OpenWorkspace/flushToDisk()``.
///
/// Every commit survives the death of the process, whatever this is, and the file is sound after a power loss.
public enum Durability: String, Sendable, CaseIterable {
  /// A power loss and a crash of the kernel: a flush waits for the disk, which takes about as long as one `fdatasync`.
  case powerLoss = "power-loss"
  /// The death of the process: a flush waits for the commit alone, and a power loss may take what was committed in the last seconds.
  case process
}
