import SQLite

/// A source of objects: a workspace, a snapshot of it, or a transaction.
protocol FetchSource {
  /// Runs `body` on a connection; returns nil if the workspace was shut down.
  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result?
}

/// The beginning of a query: `workspace.fetch(for: Job.self)`. It holds no results; each method queries again.
///
/// All methods throw ``WorkspaceError`` if the file cannot be read, and ``ChangeError`` in a transaction that has not declared the type. After
/// ``OpenWorkspace/shutdown()`` they find nothing.
public struct Fetch<T: Storable> {
  let source: any FetchSource

  /// Returns the objects that satisfy the condition.
  ///
  /// The limit applies to the ordered objects, after skipping `offset` of them.
  @inlinable
  public func `where`(
    _ condition: Condition<T>, limit: Limit = .noLimit, offset: Int = 0, orderBy ordering: [Ordering<T>] = []
  ) throws -> FetchedResult<T> {
    try run(Query(condition: condition, ordering: ordering, limit: limit, offset: offset))
  }

  /// Returns all objects.
  @inlinable
  public func all(limit: Limit = .noLimit, offset: Int = 0, orderBy ordering: [Ordering<T>] = []) throws
    -> FetchedResult<T>
  {
    try run(Query(condition: nil, ordering: ordering, limit: limit, offset: offset))
  }

  /// Returns the number of objects that satisfy the condition.
  public func count(where condition: Condition<T>? = nil) throws -> Int {
    try select(T.count, where: condition).first ?? 0
  }

  /// Returns whether an object satisfies the condition.
  public func exists(where condition: Condition<T>? = nil) throws -> Bool {
    var text = QueryText("SELECT 1 FROM \(T.schema.table.name.quoted)")
    Query(condition: condition).addCondition(to: &text)
    text.sql += " LIMIT 1"
    return try rows(text) { _ in true }.first ?? false
  }

  // Inlinable, so that it is specialized for the type: an array of an unknown type takes time for each element.
  @inlinable
  func run(_ query: Query<T>) throws -> FetchedResult<T> {
    let core = T.schema.core
    var objects: [T] = []
    try withRows(query) { row in objects.append(try core.decode(row)) }
    return FetchedResult(objects: objects, query: query)
  }

  /// Calls `body` for each row.
  @usableFromInline
  func withRows(_ query: Query<T>, _ body: (RowReader) throws -> Void) throws {
    try withRowsWhile(query) { row in
      try body(row)
      return true
    }
  }

  /// Like ``withRows(_:_:)``, until `body` returns false.
  @usableFromInline
  func withRowsWhile(_ query: Query<T>, _ body: (RowReader) throws -> Bool) throws {
    let text = query.text
    _ = try source.fetch(T.self) { try text.forEachRow(in: $0, body) }
  }

  /// Calls `body` for each object in order, until it returns false.
  @inlinable
  package func walk(
    _ condition: Condition<T>?, orderBy ordering: [Ordering<T>] = [], _ body: (T) throws -> Bool
  ) throws {
    let core = T.schema.core
    try withRowsWhile(Query(condition: condition, ordering: ordering)) { row in try body(try core.decode(row)) }
  }

  /// Returns the statement of a query, for inspecting SQLite's plan.
  package func statement(
    where condition: Condition<T>?, orderBy ordering: [Ordering<T>] = []
  ) -> (sql: String, values: [SQLValue]) {
    let text = Query(condition: condition, ordering: ordering).text
    return (text.sql, text.values)
  }

  func rows<Row>(_ text: QueryText, _ decode: (RowReader) throws -> Row) throws -> [Row] {
    try source.fetch(T.self) { try text.rows(in: $0, decode) } ?? []
  }
}

extension QueryText {
  /// Returns all rows, each decoded before the next one is read.
  func rows<Row>(in db: Database, _ decode: (RowReader) throws -> Row) throws -> [Row] {
    var rows: [Row] = []
    try forEachRow(in: db) {
      rows.append(try decode($0))
      return true
    }
    return rows
  }

  /// Calls `body` for each row, before the next one is read, until it returns false.
  func forEachRow(in db: Database, _ body: (RowReader) throws -> Bool) throws {
    if let fault { throw UnsuitableValue(reason: fault) }
    let statement = try RowStatement(sql, in: db, isOften: !isVariable)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step(), try body(statement.row) {}
  }
}
