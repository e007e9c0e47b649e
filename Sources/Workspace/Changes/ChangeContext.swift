import GRDB

/// A transaction while it runs: what is submitted to it happens together, or not at all.
///
/// It belongs to the closure that ``Workspace/performChanges(_:changesHandler:completionHandler:)`` calls, and to its thread; used later, it throws
/// ``ChangeError/Cause/ended``. Fetches see what was submitted before them.
public final class ChangeContext: FetchSource {
  private let types: Set<ObjectIdentifier>
  private let watched: Set<ObjectIdentifier>
  let path: String
  private var db: Database?
  /// Why the transaction is lost, if it is.
  private var loss: ChangeError?
  private(set) var commit = CommitRecord()

  init(_ db: Database, types: [any Storable.Type], watched: Set<ObjectIdentifier>, path: String) {
    self.db = db
    self.types = Set((types + [DictionaryEntry.self]).map { ObjectIdentifier($0) })
    self.watched = watched
    self.path = path
  }

  /// Begins a query that sees the changes of this transaction.
  public func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: self) }

  /// Carries out a request.
  ///
  /// - Throws: ``ChangeError`` with the key and the cause. A conflict undoes this submission and nothing else, and the transaction
  ///   can go on; a full disk or another failure of the workspace loses the whole transaction, and everything submitted later
  ///   throws the same. What the closure of a change request throws passes through.
  @discardableResult
  public func submit<T: Storable>(_ request: ChangeRequest<T>) throws -> UpdatedObject<T> {
    let db = try database(for: T.self)
    switch request.kind {
    case .creation(let object):
      let new = try encode(object)
      try insert(new, of: T.self, db)
      return .inserted(object)
    case .upsert(let object):
      let new = try encode(object)
      guard let old = try row(T.schema.key(of: new), of: T.self, db) else {
        try insert(new, of: T.self, db)
        return .inserted(object)
      }
      return try update(old, to: new, object, db)
    case .change(let object, let change):
      let key = T.schema.key(of: try encode(object))
      guard let old = try row(key, of: T.self, db) else { throw error(.missing, of: T.self, key) }
      var object = try reading(of: T.self, key, db) { try T.schema.decodeRow(.values(old)) }
      try change(&object)
      return try update(old, to: try encode(object), object, db)
    case .deletion(let object):
      let key = T.schema.key(of: try encode(object))
      guard let old = try row(key, of: T.self, db) else { throw error(.missing, of: T.self, key) }
      try run(T.schema.statements.delete, key.values, of: T.self, key, db)
      note(RowChange(key: key, old: old, new: nil), of: T.self)
      return .deleted(key)
    }
  }

  /// Carries out a request, or returns nil if that is not possible. Whether the transaction is lost shows in its result.
  @discardableResult
  public func `try`<T: Storable>(submit request: ChangeRequest<T>) -> UpdatedObject<T>? {
    try? submit(request)
  }

  /// Deletes the objects for which the condition is true, or all. Returns how many there were.
  @discardableResult
  public func delete<T: Storable>(_ type: T.Type, where condition: Condition<T>?) throws -> Int {
    let db = try database(for: T.self)
    var text = QueryText("DELETE FROM \(T.schema.table.name.quoted)")
    Query(condition: condition).addCondition(to: &text)
    if let old = try watchedRows(Query(condition: condition), db) {
      for row in old { note(RowChange(key: T.schema.key(of: row), old: row, new: nil), of: T.self) }
    } else {
      commit.types.insert(ObjectIdentifier(T.self))
    }
    return try reading(of: T.self, nil, db) {
      _ = try text.rows(in: db) { _ in }
      return db.changesCount
    }
  }

  /// Assigns values to fields of all objects for which the condition is true, or of all. Returns how many there were.
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
    guard let old = try watchedRows(Query(condition: condition), db) else {
      commit.types.insert(ObjectIdentifier(T.self))
      return try reading(of: T.self, nil, db) {
        _ = try text.rows(in: db) { _ in }
        return db.changesCount
      }
    }
    text.sql += " RETURNING \(T.schema.statements.columns)"
    let new = try reading(of: T.self, nil, db) {
      try text.rows(in: db) { row in
        // RETURNING gives a whole number where a column of floating-point numbers has one, as SQLite keeps it.
        zip(T.schema.table.columns, row.values(T.schema.table.columns.count)).map { column, value in
          if column.storage == .real, case .int(let number) = value { return SQLValue.double(Double(number)) }
          return value
        }
      }
    }
    for row in old { note(RowChange(key: T.schema.key(of: row), old: row, new: nil), of: T.self) }
    for row in new { note(RowChange(key: T.schema.key(of: row), old: nil, new: row), of: T.self) }
    return new.count
  }

  /// Undoes everything that was submitted. What is submitted afterwards throws ``ChangeError/Cause/aborted``, and so does the
  /// transaction. Returns false if it was lost already.
  @discardableResult
  public func abort() -> Bool {
    guard loss == nil, let db else { return false }
    loss = ChangeError(cause: .aborted)
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

  /// Throws if nothing may be committed.
  func finish() throws {
    if let loss { throw loss }
  }

  func end() {
    db = nil
  }
}

/// One assignment of an update by query: `Job.state.set(.failed)`, `Job.attempt.set(Job.attempt + 1)`.
public struct Assignment<Root>: Sendable {
  let column: String
  let node: QueryNode
}

extension Field {
  /// Assigns a value.
  public func set(_ value: Value) -> Assignment<Root> {
    do {
      return Assignment(column: column.name, node: .value(try encode(value)))
    } catch {
      return Assignment(column: column.name, node: .unsuitable(error.reason))
    }
  }

  /// Assigns what is computed from the object before the change.
  public func set(_ expression: QueryExpression<Root, Value>) -> Assignment<Root> {
    Assignment(column: column.name, node: expression.node)
  }
}

extension ChangeContext {
  private func database(for type: any Storable.Type) throws -> Database {
    guard let db else { throw ChangeError(cause: .ended) }
    if let loss { throw loss }
    guard types.contains(ObjectIdentifier(type)) else {
      throw ChangeError(table: String(describing: type), cause: .undeclaredType)
    }
    return db
  }

  private func encode<T: Storable>(_ object: T) throws -> [SQLValue] {
    try T.schema.encodeRow(object)
  }

  private func row<T: Storable>(_ key: ObjectKey, of type: T.Type, _ db: Database) throws -> [SQLValue]? {
    try reading(of: type, key, db) {
      let statement = try RowStatement(T.schema.statements.select, in: db)
      defer { statement.reset() }
      try statement.bind(key.values)
      return try statement.step() ? statement.row.values(T.schema.table.columns.count) : nil
    }
  }

  private func insert<T: Storable>(_ new: [SQLValue], of type: T.Type, _ db: Database) throws {
    let key = T.schema.key(of: new)
    try write(T.schema.statements.insert, new, of: type, key, db)
    note(RowChange(key: key, old: nil, new: new), of: type)
  }

  private func update<T: Storable>(
    _ old: [SQLValue], to new: [SQLValue], _ object: T, _ db: Database
  ) throws -> UpdatedObject<T> {
    if old.isSame(as: new) { return .identity(object) }
    let oldKey = T.schema.key(of: old)
    let newKey = T.schema.key(of: new)
    if oldKey == newKey {
      try run(T.schema.statements.update, new + oldKey.values, of: T.self, newKey, db)
      note(RowChange(key: newKey, old: old, new: new), of: T.self)
    } else {
      try write(T.schema.statements.update, new + oldKey.values, of: T.self, newKey, db)
      note(RowChange(key: oldKey, old: old, new: nil), of: T.self)
      note(RowChange(key: newKey, old: nil, new: new), of: T.self)
    }
    return .updated(object)
  }

  private func run<T: Storable>(
    _ sql: String, _ values: [SQLValue], of type: T.Type, _ key: ObjectKey, _ db: Database
  ) throws {
    try reading(of: type, key, db) {
      let statement = try RowStatement(sql, in: db)
      defer { statement.reset() }
      try statement.bind(values)
      _ = try statement.step()
    }
  }

  /// As `run`. Where a key and a unique value are both taken, SQLite reports either, depending on the table; this always the key.
  private func write<T: Storable>(
    _ sql: String, _ values: [SQLValue], of type: T.Type, _ key: ObjectKey, _ db: Database
  ) throws {
    do {
      try run(sql, values, of: type, key, db)
    } catch let error as ChangeError {
      guard case .valueTaken = error.cause, try row(key, of: type, db) != nil else { throw error }
      throw self.error(.keyTaken, of: type, key)
    }
  }

  /// All rows that a change by query is about, if somebody watches them.
  private func watchedRows<T: Storable>(_ query: Query<T>, _ db: Database) throws -> [[SQLValue]]? {
    guard watched.contains(ObjectIdentifier(T.self)) else { return nil }
    return try reading(of: T.self, nil, db) {
      try query.text.rows(in: db) { $0.values(T.schema.table.columns.count) }
    }
  }

  private func note<T: Storable>(_ change: RowChange, of type: T.Type) {
    let id = ObjectIdentifier(type)
    if watched.contains(id) {
      commit.rows[id, default: []].append(change)
    } else {
      commit.types.insert(id)
    }
  }

  private func error<T: Storable>(_ cause: ChangeError.Cause, of type: T.Type, _ key: ObjectKey?) -> ChangeError {
    ChangeError(table: T.schema.table.name, key: key, cause: cause)
  }

  /// Turns what SQLite says into the cause, and remembers what loses the transaction.
  private func reading<T: Storable, Result>(
    of type: T.Type, _ key: ObjectKey?, _ db: Database, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let failure {
      let error = error(cause(of: failure, in: T.schema.table, db), of: type, key)
      if error.endsTransaction { loss = error }
      throw error
    }
  }

  private func cause(of error: any Error, in table: TableDescription, _ db: Database) -> ChangeError.Cause {
    if let exhaustion = WorkspaceError.exhaustion(error, on: db, path: path) { return .workspace(exhaustion) }
    if let value = error as? UnsuitableValue { return .constraint(message: value.reason) }
    guard let error = error as? DatabaseError else { return .workspace(WorkspaceError(reading: error, path: path)) }
    let message = error.message ?? "constraint failed"
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: return .keyTaken
    case .SQLITE_CONSTRAINT_UNIQUE:
      // "UNIQUE constraint failed: job.pipeline, job.step"
      let fields = message.split(separator: ": ").last.map { $0.split(separator: ", ") } ?? []
      let names = fields.map { String($0.split(separator: ".").last ?? $0) }
      return names == table.key ? .keyTaken : .valueTaken(fields: names)
    default: break
    }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_ERROR, .SQLITE_RANGE:
      return .constraint(message: message)
    default: return .workspace(WorkspaceError(error, path: path))
    }
  }
}
