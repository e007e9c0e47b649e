import SQLite
import Workspace

/// The current and earlier values of conditions of served pipelines.
extension History {
  /// Returns the current values, or those when the last host ended, by pipeline and name.
  public func publishedSpecifications() throws(WorkspaceError) -> [PublishedSpecification] {
    try read { try SpecificationRows.all(in: $0) }
  }

  /// Returns the changes of a condition, the latest first. The last 1,000 of each are kept.
  public func specificationChanges(
    of pipeline: String, _ name: String
  ) throws(WorkspaceError) -> [PublishedSpecification] {
    try read { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT formula, value, at, reason FROM specification_change WHERE pipeline = ? AND name = ?
            ORDER BY number DESC
            """), arguments: [pipeline, name]
      ).map { row in
        PublishedSpecification(
          pipeline: pipeline, name: name, formula: row[0], value: (row[1] as Int64?).map { $0 != 0 }, reason: row[3],
          since: RecordTime(microseconds: row[2]))
      }
    }
  }

  /// Returns the time until which a condition of a pipeline was certainly observed: that of its latest occasion, or when it was last false; nil if it
  /// was never published with this text.
  package func followed(_ name: String, _ formula: String, of pipeline: String) throws(WorkspaceError) -> RecordTime? {
    try read { db in
      let published = try db.fetch(for: StoredSpecification.self)
        .where(StoredSpecification.pipeline == pipeline && StoredSpecification.name == name).first
      guard let published, published.formula == formula else { return nil }
      // If it has become true since then, the occasion may not have been recorded.
      let wasFalse = try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT max(at) FROM specification_change WHERE pipeline = ? AND name = ? AND value IS NOT 1"),
        arguments: [pipeline, name])
      let latest = try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT asked_at FROM occasion WHERE pipeline = ? AND cause = 'condition' ORDER BY number DESC LIMIT 1"),
        arguments: [pipeline])
      return [wasFalse, latest].compactMap { $0 }.max().map { RecordTime(microseconds: $0) }
    }
  }

  /// Publishes the values of conditions.
  ///
  /// - Parameters:
  ///   - turns: Each change of a value, in order. A change to the published value is ignored.
  ///   - latest: The current values of the conditions in `turns`, and possibly others.
  ///   - begun: Pipelines of which another version is loaded: of these, conditions not in `latest` are no longer published.
  /// - Throws: `WorkspaceError`.
  package func publish(
    turns: [PublishedSpecification], latest: [PublishedSpecification], of begun: Set<String>
  ) throws(WorkspaceError) {
    let published = try read { try SpecificationRows.all(in: $0) }
    let current = Set(latest.map(\.key))
    let stale = published.filter { begun.contains($0.pipeline) && !current.contains($0.key) }
    guard !turns.isEmpty || !latest.isEmpty || !stale.isEmpty else { return }
    try write(changing: [StoredSpecification.self]) { db in
      var known = Dictionary(published.map { ($0.key, $0) }) { first, _ in first }
      for old in stale {
        known[old.key] = nil
        try SpecificationRows.remove(old, in: db)
      }
      let former = known
      for turn in turns where known[turn.key].map({ $0.value != turn.value || $0.formula != turn.formula }) ?? true {
        known[turn.key] = turn
        try SpecificationRows.add(change: turn, in: db)
      }
      for now in latest { known[now.key]?.reason = now.reason }
      let changed = known.values.filter { former[$0.key] != $0 }
      for key in Set(changed.map(\.key)) { try SpecificationRows.trim(key, in: db) }
      try db.changing([StoredSpecification.self]) { context in
        for specification in changed {
          try context.submit(StoredSpecification.upsertRequest(StoredSpecification(specification)))
        }
      }
    }
    workspace.announce()
  }
}

extension PublishedSpecification {
  /// What identifies it.
  struct Key: Hashable {
    var pipeline: String
    var name: String
  }

  var key: Key { Key(pipeline: pipeline, name: name) }
}

/// The rows of conditions and of their changes.
enum SpecificationRows {
  /// How many changes of each are kept.
  static let kept = 1000

  static func all(in db: Database) throws -> [PublishedSpecification] {
    try db.fetch(for: StoredSpecification.self)
      .where(
        StoredSpecification.since >= Int64.min,
        orderBy: [StoredSpecification.pipeline.ascending, StoredSpecification.name.ascending]
      )
      .map(\.published)
  }

  /// In SQL, so that the row is numbered automatically.
  static func add(change: PublishedSpecification, in db: Database) throws {
    try db.cachedStatement(
      sql: "INSERT INTO specification_change (pipeline, name, formula, value, at, reason) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      change.pipeline, change.name, change.formula, change.value.map { $0 ? 1 : 0 }, change.since.microseconds,
      change.reason,
    ])
  }

  static func trim(_ key: PublishedSpecification.Key, in db: Database) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM specification_change WHERE pipeline = ?1 AND name = ?2 AND number <= (
          SELECT number FROM specification_change WHERE pipeline = ?1 AND name = ?2
          ORDER BY number DESC LIMIT 1 OFFSET \(kept))
        """
    ).execute(arguments: [key.pipeline, key.name])
  }

  /// Removes a condition that is no longer published. Its changes are kept as long as the pipeline is served.
  static func remove(_ specification: PublishedSpecification, in db: Database) throws {
    _ = try db.changing([StoredSpecification.self]) { context in
      try context.delete(
        StoredSpecification.self,
        where: StoredSpecification.pipeline == specification.pipeline
          && StoredSpecification.name == specification.name)
    }
  }

  /// Removes the conditions of a pipeline that is no longer served.
  static func removeAll(of pipeline: String, in db: Database) throws {
    _ = try db.changing([StoredSpecification.self]) { context in
      try context.delete(StoredSpecification.self, where: StoredSpecification.pipeline == pipeline)
    }
    try db.cachedStatement(sql: "DELETE FROM specification_change WHERE pipeline = ?").execute(arguments: [pipeline])
  }
}

extension StoredSpecification {
  init(_ specification: PublishedSpecification) {
    self.init(
      pipeline: specification.pipeline, name: specification.name, formula: specification.formula,
      value: specification.value.map { $0 ? 1 : 0 }, since: specification.since.microseconds,
      reason: specification.reason)
  }

  var published: PublishedSpecification {
    PublishedSpecification(
      pipeline: pipeline, name: name, formula: formula, value: value.map { $0 != 0 }, reason: reason,
      since: RecordTime(microseconds: since))
  }
}
