/// The right of one process to do something alone, by name, among all processes that share a workspace.
public struct Lease: Sendable, Hashable {
  /// What is leased.
  public let name: String
  /// The process that holds it. When that process is gone, so is the lease.
  public let owner: ProcessIdentity
  /// Who it is held for, in words: a run id, for instance.
  public let holder: String
  /// The fencing number: greater for each later lease of the same name. What a late holder does can be told by it.
  public let fence: Int64
  /// When it was granted, in microseconds since 1970 UTC.
  public let acquiredAt: Int64

  /// Creates a lease from its recorded parts.
  public init(name: String, owner: ProcessIdentity, holder: String, fence: Int64, acquiredAt: Int64) {
    self.name = name
    self.owner = owner
    self.holder = holder
    self.fence = fence
    self.acquiredAt = acquiredAt
  }
}

/// The answer to a request for a lease.
public enum LeaseOutcome: Sendable, Hashable {
  /// The lease is the caller's until it is released or the owner ends.
  case granted(Lease)
  /// Somebody else has it, and is alive.
  case held(Lease)
}
