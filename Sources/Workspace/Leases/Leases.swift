import Glibc
import SQLite

/// Acquiring, releasing and listing leases, inside a transaction of the caller's.
///
/// ```swift
/// let outcome = try workspace.write { try Leases.acquire("archive-disk", holder: "run k3x…", in: $0) }
/// ```
/// Whoever waits for one follows ``StoredLease``.
public enum Leases {
  /// Grants the lease with the next fencing number if nobody holds it or its owner is gone; else says who has it.
  ///
  /// A lease is not counted: the owner that asks again while it holds the lease is told that it is held.
  /// Needs a write transaction. `time` is the present, in microseconds since 1970; that of the system's clock by default.
  public static func acquire(
    _ name: String, holder: String, owner: ProcessIdentity = .current, at time: Int64? = nil, in db: Database
  ) throws -> LeaseOutcome {
    let row = try db.fetch(for: StoredLease.self).where(StoredLease.name == name).first
    if let lease = row?.lease, lease.owner.isAlive(in: db) { return .held(lease) }
    // The row stays when the lease is free, because the fencing number must never go back.
    let lease = Lease(
      name: name, owner: owner, holder: holder, fence: (row?.fence ?? 0) + 1,
      acquiredAt: time ?? microsecondsNow())
    _ = try db.changing([StoredLease.self]) { try $0.submit(StoredLease.upsertRequest(StoredLease(lease))) }
    return .granted(lease)
  }

  /// Gives a lease back. Returns false, and changes nothing, if a later lease of that name has been granted meanwhile.
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

  /// The lease of that name, unless it is free. Its owner may be gone.
  public static func current(_ name: String, in db: Database) throws -> Lease? {
    try db.fetch(for: StoredLease.self).where(StoredLease.name == name).first?.lease
  }

  /// All leases that are not free, by name. Owners may be gone.
  public static func all(in db: Database) throws -> [Lease] {
    try db.fetch(for: StoredLease.self).where(!StoredLease.holder.isNil()).compactMap(\.lease)
  }

  private static func microsecondsNow() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
