import SQLite
import Workspace

/// Takes and releases what operations hold of the resources that all processes on a workspace share, within the caller's transaction.
package enum ResourceHolds {
  /// An amount of a resource.
  package struct Share: Sendable, Hashable {
    /// The name, in any letter case.
    package var resource: String
    package var amount: Int

    package init(_ resource: String, _ amount: Int) {
      self.resource = resource
      self.amount = amount
    }

    fileprivate var key: String { resource.lowercased() }
  }

  /// An operation that holds some of a resource, and its process.
  package struct Holder: Sendable, Hashable {
    package var share: Share
    package var run: RunID
    package var operation: String
    package var owner: ProcessIdentity
  }

  /// The outcome of a request.
  package enum Outcome: Sendable {
    /// The shares are held until the holds with these numbers are released, or the process ends.
    case granted([Int64])
    /// Others hold too much.
    case held([Holder])
    /// The total capacity of that resource is insufficient.
    case exceeded(Share, amount: Int)
  }

  /// The object types that change when something is taken or released.
  package static var types: ChangedTypes { [StoredResourceHold.self] }

  /// Takes all shares or none. What dead processes held is free, and those holders are returned as well: they may have left processes that still use it.
  ///
  /// A resource whose amount the workspace does not declare has no limit, and is not held.
  package static func take(
    _ shares: [Share], for run: RunID, operation: String, owner: ProcessIdentity = .current, at time: RecordTime,
    in db: Database
  ) throws -> (outcome: Outcome, gone: [Holder]) {
    var gone: [Holder] = []
    var inTheWay: [Holder] = []
    var wanted: [Share] = []
    for share in shares {
      guard let resource = try db.fetch(for: StoredResource.self).where(StoredResource.key == share.key).first else {
        continue
      }
      guard share.amount <= resource.amount else { return (.exceeded(share, amount: Int(resource.amount)), gone) }
      wanted.append(share)
      var held = 0
      var holders: [Holder] = []
      for hold in try db.fetch(for: StoredResourceHold.self).where(StoredResourceHold.resource == share.key) {
        guard let holder = hold.holder else { continue }
        if holder.owner.isAlive(in: db) {
          held += holder.share.amount
          holders.append(holder)
        } else {
          gone.append(holder)
          try release([hold.number], in: db)
        }
      }
      if held + share.amount > Int(resource.amount) { inTheWay += holders }
    }
    guard inTheWay.isEmpty else { return (.held(inTheWay), gone) }
    return (
      .granted(
        try wanted.map { try add(Holder(share: $0, run: run, operation: operation, owner: owner), at: time, in: db) }),
      gone
    )
  }

  /// Records a hold, and returns its number.
  package static func add(_ holder: Holder, at time: RecordTime, in db: Database) throws -> Int64 {
    try db.changing([StoredResourceHold.self]) { context in
      let number = (try context.fetch(for: StoredResourceHold.self).maximum(StoredResourceHold.number) ?? 0) + 1
      try context.submit(
        StoredResourceHold.creationRequest(
          StoredResourceHold(
            number: number, resource: holder.share.key, amount: Int64(holder.share.amount), boot: holder.owner.boot,
            pid: Int64(holder.owner.pid), processStarted: holder.owner.started, run: holder.run.text,
            operation: holder.operation, takenAt: time.microseconds)))
      return number
    }
  }

  /// Releases the holds with these numbers.
  package static func release(_ numbers: [Int64], in db: Database) throws {
    try db.changing([StoredResourceHold.self]) { context in
      for number in numbers { try context.delete(StoredResourceHold.self, where: StoredResourceHold.number == number) }
    }
  }
}

extension StoredResourceHold {
  /// The holder; nil for a row that no version writes.
  var holder: ResourceHolds.Holder? {
    guard let run = RunID(run) else { return nil }
    return ResourceHolds.Holder(
      share: ResourceHolds.Share(resource, Int(amount)), run: run, operation: operation,
      owner: ProcessIdentity(boot: boot, pid: Int32(exactly: pid) ?? .max, started: processStarted))
  }
}
