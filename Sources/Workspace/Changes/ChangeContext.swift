import SQLite

/// A transaction while it runs: everything submitted to it takes effect together, or not at all.
///
/// It belongs to the closure that ``OpenWorkspace/performChanges(_:changesHandler:completionHandler:)`` calls, and to its thread; used later, it throws
/// ``ChangeError/Cause/ended``. Fetches see what was submitted before them.
public final class ChangeContext: FetchSource {
  private let types: [any Storable.Type]
  private let watched: [ObjectIdentifier: Bool]
  private let statements: ConnectionStatements
  // Belongs to `statements`. Using a constant of this object needs no reference counting, unlike one of another object.
  let row: RowWriter
  let path: String
  private var db: Database?
  /// Why the transaction was lost, if it was.
  private(set) var loss: ChangeError?
  private(set) var commit = CommitRecord()
  /// The type last recorded as changed.
  private var noted: ObjectIdentifier?
  /// The type of the last submission, which is often that of the next. Nil if the transaction has ended or was lost.
  @usableFromInline var last: RowWork?

  /// Creates a context. `watched` tells for each type with subscribers whether one of them subscribes to a result.
  init(
    _ db: Database, _ statements: ConnectionStatements, types: [any Storable.Type],
    watched: [ObjectIdentifier: Bool], path: String
  ) {
    self.db = db
    self.statements = statements
    row = statements.row
    self.types = types
    self.watched = watched
    self.path = path
  }

  /// Begins a query that sees the changes of this transaction.
  public func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: self) }

  /// Submits a request.
  ///
  /// - Throws: ``ChangeError`` with the key and the cause. A conflict undoes only this submission, and the transaction can continue; a full disk or
  ///   another failure of the workspace loses the whole transaction, and all later submissions throw the same error. Errors thrown by the closure of a
  ///   change request are rethrown.
  @inlinable
  @discardableResult
  public func submit<T: Storable>(_ request: ChangeRequest<T>) throws -> UpdatedObject<T> {
    // Inlinable, so that it is specialized for the type: looking types up takes as long as SQLite itself.
    let work = try work(for: T.self)
    switch request.action {
    case .creation:
      try insert(request.object, work)
      return .inserted(request.object)
    case .upsert:
      guard let old = try stored(request.object, work) else {
        try insert(request.object, work)
        return .inserted(request.object)
      }
      return try update(old, to: request.object, work)
    case .change(let change):
      guard let old = try stored(request.object, work) else {
        throw withUnsafePointer(to: request.object) { missing($0, work) }
      }
      var new = old
      try change(&new)
      // The closure may have aborted the transaction; outside of it, the statement would be its own transaction.
      try finish()
      return try update(old, to: new, work)
    case .deletion:
      return .deleted(try delete(request.object, work))
    }
  }

  /// Submits a request, or returns nil if it fails. If the transaction is lost, its own result reports that.
  @inlinable
  @discardableResult
  public func `try`<T: Storable>(submit request: ChangeRequest<T>) -> UpdatedObject<T>? {
    try? submit(request)
  }

  /// Deletes the objects that satisfy the condition, or all. Returns their number.
  @discardableResult
  public func delete<T: Storable>(_ type: T.Type, where condition: Condition<T>?) throws -> Int {
    let db = try database(for: T.self)
    var text = QueryText("DELETE FROM \(T.schema.table.name.quoted)")
    Query(condition: condition).addCondition(to: &text)
    if let old = try watchedObjects(Query(condition: condition), db) {
      for object in old { try note(from: object, to: nil) }
    } else {
      commit.types.insert(ObjectIdentifier(T.self))
    }
    return try reading(T.self, db) {
      _ = try text.rows(in: db) { _ in }
      return db.changesCount
    }
  }

  /// Assigns values to fields of the objects that satisfy the condition, or of all. Returns their number.
  ///
  /// A conflict undoes all of it.
  @discardableResult
  public func update<T: Storable>(
    _ type: T.Type, set assignments: [Assignment<T>], where condition: Condition<T>?
  ) throws -> Int {
    let db = try database(for: T.self)
    guard !assignments.isEmpty else { return 0 }
    var text = QueryText("UPDATE \(T.schema.table.name.quoted) SET ")
    for (place, assignment) in assignments.enumerated() {
      text.sql += "\(place > 0 ? ", " : "")\(assignment.column.quoted) = "
      text.add(assignment.node)
    }
    Query(condition: condition).addCondition(to: &text)
    guard let old = try watchedObjects(Query(condition: condition), db) else {
      commit.types.insert(ObjectIdentifier(T.self))
      return try reading(T.self, db) {
        _ = try text.rows(in: db) { _ in }
        return db.changesCount
      }
    }
    text.sql += " RETURNING \(T.schema.core.statements.columns)"
    let new = try reading(T.self, db) { try text.rows(in: db) { try T.schema.core.decode($0) } }
    for object in old { try note(from: object, to: nil) }
    for object in new { try note(from: nil, to: object) }
    return new.count
  }

  /// Undoes everything that was submitted. Later submissions throw ``ChangeError/Cause/aborted``, and so does the transaction. Returns false if the
  /// transaction was already lost.
  @discardableResult
  public func abort() -> Bool {
    guard loss == nil, let db else { return false }
    lose(ChangeError(cause: .aborted))
    try? db.rollback()
    return true
  }

  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result? {
    let db = try database(for: type)
    do {
      return try body(db)
    } catch {
      throw WorkspaceError(reading: error, path: path)
    }
  }

  /// Throws if the transaction must not be committed.
  @usableFromInline
  func finish() throws {
    if let loss { throw loss }
  }

  func end() {
    db = nil
    last = nil
  }

  func lose(_ error: ChangeError) {
    loss = error
    last = nil
  }
}

extension ChangeContext {
  private func database(for type: any Storable.Type) throws -> Database {
    guard let db else { throw ChangeError(cause: .ended) }
    if let loss { throw loss }
    guard types.contains(where: { $0 == type }) else {
      throw ChangeError(table: String(describing: type), cause: .undeclaredType)
    }
    return db
  }

  @inlinable
  func work<T: Storable>(for type: T.Type) throws -> TypeWork<T> {
    if let last, last.type == ObjectIdentifier(type) {
      // The identifier guarantees the type.
      return unsafeDowncast(last, to: TypeWork<T>.self)
    }
    return try begin(type)
  }

  @usableFromInline
  func begin<T: Storable>(_ type: T.Type) throws -> TypeWork<T> {
    let db = try database(for: type)
    let id = ObjectIdentifier(type)
    let core = type.schema.core
    var changes: TypeChanges<T>?
    if watched[id] != nil {
      let known = commit.changes[id].map { unsafeDowncast($0, to: TypeChanges<T>.self) }
      changes = known ?? TypeChanges<T>(core)
      commit.changes[id] = changes
    }
    let work = TypeWork(
      core, statements.statements(for: type, core.code), db, changes: changes, needsOld: watched[id] == true)
    last = work
    return work
  }

  /// Returns the stored object with the key of `object`.
  @inlinable
  func stored<T: Storable>(_ object: T, _ work: TypeWork<T>) throws -> T? {
    try withUnsafePointer(to: object) { key -> T? in
      guard let row = try select(key, work) else { return nil }
      defer { endSelection(work) }
      do {
        return try work.core.decode(row)
      } catch {
        throw unreadable(error, key, work)
      }
    }
  }

  @inlinable
  func insert<T: Storable>(_ object: T, _ work: TypeWork<T>) throws {
    try withUnsafePointer(to: object) { try insertRow($0, work) }
    guard let changes = work.changes else { return note(work) }
    try note(from: nil, to: object, work, changes)
  }

  @inlinable
  func update<T: Storable>(_ old: T, to new: consuming T, _ work: TypeWork<T>) throws -> UpdatedObject<T> {
    let mask = try withUnsafePointer(to: new) { new in
      try withUnsafePointer(to: old) { try updateRow($0, to: new, work) }
    }
    if mask == 0 { return .identity(new) }
    guard let changes = work.changes else {
      note(work)
      return .updated(new)
    }
    // From here on the value is copied, which a consumed parameter cannot be.
    let object = new
    if mask & work.code.keyMask == 0 {
      try note(from: old, to: object, work, changes)
    } else {
      try note(from: old, to: nil, work, changes)
      try note(from: nil, to: object, work, changes)
    }
    return .updated(object)
  }

  @inlinable
  func delete<T: Storable>(_ object: T, _ work: TypeWork<T>) throws -> ObjectKey {
    let old = work.needsOld ? try stored(object, work) : nil
    let key = try withUnsafePointer(to: object) { try deleteRow($0, work) }
    if let changes = work.changes {
      try note(from: old ?? object, to: nil, work, changes)
    } else {
      note(work)
    }
    return key
  }

  /// Records an object before and after a change, for subscribers.
  @inlinable
  func note<T: Storable>(from old: T?, to new: T?, _ work: TypeWork<T>, _ changes: TypeChanges<T>) throws {
    guard let object = new ?? old else { return }
    let key = try withUnsafePointer(to: object) { try work.code.key(of: $0) }
    changes.append(key, from: work.needsOld ? old : nil, to: new)
  }

  /// Records that objects of a type have changed, without details, since nothing subscribes to them.
  @usableFromInline
  func note(_ work: RowWork) {
    if noted == work.type { return }
    commit.types.insert(work.type)
    noted = work.type
  }

  /// Returns all objects affected by a change by query, if the type has subscribers.
  private func watchedObjects<T: Storable>(_ query: Query<T>, _ db: Database) throws -> [T]? {
    guard watched[ObjectIdentifier(T.self)] != nil else { return nil }
    return try reading(T.self, db) { try query.text.rows(in: db) { try T.schema.core.decode($0) } }
  }

  private func note<T: Storable>(from old: T?, to new: T?) throws {
    let work = try work(for: T.self)
    guard let changes = work.changes else { return note(work) }
    try note(from: old, to: new, work, changes)
  }

  /// Converts SQLite's error on a statement to its cause, and records it if it loses the transaction.
  private func reading<T: Storable, Result>(_ type: T.Type, _ db: Database, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch {
      throw cause(of: error, T.schema.table, nil, db)
    }
  }
}
