/// A named right that one process holds exclusively among all processes that share a workspace.
public struct Lease: Sendable, Hashable {
  /// The name of the lease.
  public let name: String
  /// The process that holds it. The lease ends with that process.
  public let owner: ProcessIdentity
  /// A description of what it is held for, such as a run ID.
  public let holder: String
  /// The fencing number, which is greater for each later lease of the same name. It identifies the actions of a former holder.
  public let fence: Int64
  /// The time at which it was granted, in microseconds since 1970 UTC.
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
  /// The caller holds the lease until it is released or the owner ends.
  case granted(Lease)
  /// Another process that is alive holds it.
  case held(Lease)
}
