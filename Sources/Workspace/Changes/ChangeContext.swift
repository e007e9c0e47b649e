import GRDB

/// A transaction while it runs: what is submitted to it happens together, or not at all.
///
/// It belongs to the closure that ``Workspace/performChanges(_:changesHandler:completionHandler:)`` calls, and to its thread; used later, it throws
/// ``ChangeError/Cause/ended``. Fetches see what was submitted before them.
public final class ChangeContext: FetchSource {
  private let types: [ObjectIdentifier]
  private let watched: [ObjectIdentifier: Bool]
  private let statements: ConnectionStatements
  let path: String
  private var db: Database?
  /// Why the transaction is lost, if it is.
  private var loss: ChangeError?
  private(set) var commit = CommitRecord()
  /// The type that was taken down last as one of which something has changed.
  private var noted: ObjectIdentifier?
  /// What the last submission was about: often it is the same for the next one.
  private var last: (type: ObjectIdentifier, work: AnyObject)?

  /// `watched` says for each type that has subscribers whether one of them follows a result.
  init(
    _ db: Database, _ statements: ConnectionStatements, types: [any Storable.Type],
    watched: [ObjectIdentifier: Bool], path: String
  ) {
    self.db = db
    self.statements = statements
    self.types = (types + [DictionaryEntry.self]).map { ObjectIdentifier($0) }
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
    let (work, db) = try work(for: T.self)
    switch request.kind {
    case .creation(let object):
      try insert(object, work, db)
      return .inserted(object)
    case .upsert(let object):
      guard let old = try stored(object, work, db) else {
        try insert(object, work, db)
        return .inserted(object)
      }
      return try update(old, to: object, work, db)
    case .change(let object, let change):
      guard let old = try stored(object, work, db) else { throw error(.missing, of: object) }
      var new = old
      try change(&new)
      return try update(old, to: new, work, db)
    case .deletion(let object):
      return .deleted(try delete(object, work, db))
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

/// What is at hand for objects of one type during a transaction.
private final class TypeWork<T: Storable> {
  let statements: TypeStatements<T>
  /// Where changes are taken down; nil if nobody has subscribed.
  let changes: TypeChanges<T>?
  /// Whether somebody needs to know what an object was before.
  let needsOld: Bool

  init(_ statements: TypeStatements<T>, changes: TypeChanges<T>?, needsOld: Bool) {
    self.statements = statements
    self.changes = changes
    self.needsOld = needsOld
  }

  var core: SchemaCore<T> { statements.core }
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

  private func work<T: Storable>(for type: T.Type) throws -> (TypeWork<T>, Database) {
    if let last, last.type == ObjectIdentifier(type), loss == nil, let db {
      // The identifier says what it is.
      return (unsafeDowncast(last.work, to: TypeWork<T>.self), db)
    }
    let db = try database(for: type)
    let id = ObjectIdentifier(type)
    var changes: TypeChanges<T>?
    if watched[id] != nil {
      let known = commit.changes[id].map { unsafeDowncast($0, to: TypeChanges<T>.self) }
      changes = known ?? TypeChanges<T>()
      commit.changes[id] = changes
    }
    let work = TypeWork(statements.statements(for: type), changes: changes, needsOld: watched[id] == true)
    last = (id, work)
    return (work, db)
  }

  /// The stored object with the key of this one.
  private func stored<T: Storable>(_ object: T, _ work: TypeWork<T>, _ db: Database) throws -> T? {
    try reading(T.self, db, object) {
      let statement = try work.statements.select(db)
      defer { statement.reset() }
      statements.row.begin(statement.pointer)
      try work.core.writeKey(of: object, to: statements.row)
      try statements.row.end()
      return try statement.step() ? try work.core.decode(statement.row) : nil
    }
  }

  private func insert<T: Storable>(_ object: T, _ work: TypeWork<T>, _ db: Database) throws {
    try preferringKey(object, work, db) {
      try reading(T.self, db, object) {
        let statement = try work.statements.insert(db)
        statements.row.begin(statement.pointer)
        try work.core.write(object, to: statements.row)
        try statements.row.end()
        try statement.run()
      }
    }
    try note(from: nil, to: object, work)
  }

  private func update<T: Storable>(
    _ old: T, to new: T, _ work: TypeWork<T>, _ db: Database
  ) throws -> UpdatedObject<T> {
    let core = work.core
    let mask = core.changes(from: old, to: new)
    if mask == 0 { return .identity(new) }
    func run() throws {
      try reading(T.self, db, new) {
        let statement = try work.statements.update(mask, db)
        statements.row.begin(statement.pointer)
        try core.write(new, mask, to: statements.row)
        try core.writeKey(of: old, to: statements.row)
        try statements.row.end()
        try statement.run()
      }
    }
    if mask & core.keyMask == 0 {
      try run()
      try note(from: old, to: new, work)
    } else {
      try preferringKey(new, work, db) { try run() }
      try note(from: old, to: nil, work)
      try note(from: nil, to: new, work)
    }
    return .updated(new)
  }

  private func delete<T: Storable>(_ object: T, _ work: TypeWork<T>, _ db: Database) throws -> ObjectKey {
    let old = work.needsOld ? try stored(object, work, db) : nil
    let count = try reading(T.self, db, object) {
      let statement = try work.statements.delete(db)
      statements.row.begin(statement.pointer)
      try work.core.writeKey(of: object, to: statements.row)
      try statements.row.end()
      try statement.run()
      return db.changesCount
    }
    guard count > 0 else { throw error(.missing, of: object) }
    try note(from: old ?? object, to: nil, work)
    return try work.core.key(of: object)
  }

  /// Where a key and a unique value are both taken, SQLite reports either, depending on the table; this always the key.
  private func preferringKey<T: Storable>(
    _ object: T, _ work: TypeWork<T>, _ db: Database, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as ChangeError {
      guard case .valueTaken = error.cause, try stored(object, work, db) != nil else { throw error }
      throw self.error(.keyTaken, of: object)
    }
  }

  /// All objects that a change by query is about, if somebody watches them.
  private func watchedObjects<T: Storable>(_ query: Query<T>, _ db: Database) throws -> [T]? {
    guard watched[ObjectIdentifier(T.self)] != nil else { return nil }
    return try reading(T.self, db) { try query.text.rows(in: db) { try T.schema.core.decode($0) } }
  }

  private func note<T: Storable>(from old: T?, to new: T?) throws {
    try note(from: old, to: new, try work(for: T.self).0)
  }

  private func note<T: Storable>(from old: T?, to new: T?, _ work: TypeWork<T>) throws {
    guard let changes = work.changes else {
      if commit.types.isEmpty || last?.type != noted {
        commit.types.insert(ObjectIdentifier(T.self))
        noted = ObjectIdentifier(T.self)
      }
      return
    }
    guard let object = new ?? old else { return }
    changes.append(try work.core.key(of: object), from: work.needsOld ? old : nil, to: new)
  }

  private func error<T: Storable>(_ cause: ChangeError.Cause, of object: T?) -> ChangeError {
    ChangeError(
      table: T.schema.table.name, key: object.flatMap { try? T.schema.core.key(of: $0) }, cause: cause)
  }

  /// Turns what SQLite says into the cause, and remembers what loses the transaction.
  private func reading<T: Storable, Result>(
    _ type: T.Type, _ db: Database, _ object: T? = nil, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let failure as ChangeError {
      throw failure
    } catch let failure {
      let error = error(cause(of: failure, in: T.schema.table, db), of: object)
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
