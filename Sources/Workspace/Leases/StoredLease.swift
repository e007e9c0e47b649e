/// A lease as stored in the table; free if it has no holder.
package struct StoredLease: Storable {
  package var name: String
  var fence: Int64
  var holder: String?
  var boot: String?
  var pid: Int64?
  var processStarted: Int64?
  var acquiredAt: Int64?

  package static let name = Field("name", \StoredLease.name)
  static let fence = Field("fence", \StoredLease.fence)
  static let holder = Field("holder", \StoredLease.holder)
  static let boot = Field("boot", \StoredLease.boot)
  static let pid = Field("pid", \StoredLease.pid)
  static let processStarted = Field("process_started", \StoredLease.processStarted)
  static let acquiredAt = Field("acquired_at", \StoredLease.acquiredAt)
  package static let schema = ObjectSchema(
    "lease_record", StoredLease.init, name, fence, holder, boot, pid, processStarted, acquiredAt, key: name)

  /// The lease; nil if it is free.
  var lease: Lease? {
    guard let holder, let boot, let pid, let processStarted, let acquiredAt else { return nil }
    return Lease(
      name: name, owner: ProcessIdentity(boot: boot, pid: Int32(exactly: pid) ?? .max, started: processStarted),
      holder: holder, fence: fence, acquiredAt: acquiredAt)
  }
}

extension StoredLease {
  init(_ lease: Lease) {
    self.init(
      name: lease.name, fence: lease.fence, holder: lease.holder, boot: lease.owner.boot, pid: Int64(lease.owner.pid),
      processStarted: lease.owner.started, acquiredAt: lease.acquiredAt)
  }
}
