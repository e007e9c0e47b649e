import Glibc
import SQLite

/// Acquires, releases and lists leases, inside the caller's transaction.
///
/// ```swift
/// let outcome = try workspace.write { try Leases.acquire("archive-disk", holder: "run k3x…", in: $0) }
/// ```
public enum Leases {
  /// Grants the lease with the next fencing number if it is free or its owner has ended; otherwise returns the current lease.
  ///
  /// Leases are not recursive: an owner that requests a lease it already holds is told that it is held. Requires a write transaction. `time` is the
  /// current time, in microseconds since 1970; by default that of the system's clock.
  public static func acquire(
    _ name: String, holder: String, owner: ProcessIdentity = .current, at time: Int64? = nil, in db: Database
  ) throws -> LeaseOutcome {
    let row = try db.fetch(for: StoredLease.self).where(StoredLease.name == name).first
    if let lease = row?.lease, lease.owner.isAlive(in: db) { return .held(lease) }
    // The row remains when the lease is free, because the fencing number must never decrease.
    let lease = Lease(
      name: name, owner: owner, holder: holder, fence: (row?.fence ?? 0) + 1,
      acquiredAt: time ?? microsecondsNow())
    _ = try db.changing([StoredLease.self]) { try $0.submit(StoredLease.upsertRequest(StoredLease(lease))) }
    return .granted(lease)
  }

  /// Releases a lease. Returns false, and changes nothing, if a later lease with that name was granted meanwhile.
  @discardableResult
  public static func release(_ name: String, fence: Int64, in db: Database) throws -> Bool {
    try db.changing([StoredLease.self]) { context in
      try context.update(
        StoredLease.self,
        set: [
          StoredLease.holder.set(nil), StoredLease.boot.set(nil), StoredLease.pid.set(nil),
          StoredLease.processStarted.set(nil), StoredLease.acquiredAt.set(nil),
        ], where: StoredLease.name == name && StoredLease.fence == fence && !StoredLease.holder.isNil()) > 0
    }
  }

  /// Returns the lease with that name, unless it is free. Its owner may have ended.
  public static func current(_ name: String, in db: Database) throws -> Lease? {
    try db.fetch(for: StoredLease.self).where(StoredLease.name == name).first?.lease
  }

  /// Returns all leases that are not free, by name. Their owners may have ended.
  public static func all(in db: Database) throws -> [Lease] {
    try db.fetch(for: StoredLease.self).where(!StoredLease.holder.isNil()).compactMap(\.lease)
  }

  private static func microsecondsNow() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
