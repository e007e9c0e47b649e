import GRDB

/// Where objects are fetched from: a workspace, a snapshot of it, or a transaction.
protocol FetchSource {
  /// Runs `body` on a connection; returns nil when the workspace has been shut down.
  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result?
}

/// The beginning of a query: `workspace.fetch(for: Job.self)`. It holds nothing; each of its methods asks anew.
///
/// All of them throw ``WorkspaceError`` when the file cannot be read, and ``ChangeError`` in a transaction that has not declared
/// the type. After ``Workspace/shutdown()`` they find nothing.
public struct Fetch<T: Storable> {
  let source: any FetchSource

  /// The objects for which the condition is true.
  ///
  /// A limit counts objects of the order asked for, after `offset` of them.
  public func `where`(
    _ condition: Condition<T>, limit: Limit = .noLimit, offset: Int = 0, orderBy ordering: [Ordering<T>] = []
  ) throws -> FetchedResult<T> {
    try run(Query(condition: condition, ordering: ordering, limit: limit, offset: offset))
  }

  /// All objects.
  public func all(limit: Limit = .noLimit, offset: Int = 0, orderBy ordering: [Ordering<T>] = []) throws
    -> FetchedResult<T>
  {
    try run(Query(condition: nil, ordering: ordering, limit: limit, offset: offset))
  }

  /// How many objects there are for which the condition is true.
  public func count(where condition: Condition<T>? = nil) throws -> Int {
    try select(T.count, where: condition).first ?? 0
  }

  /// Whether there is an object for which the condition is true.
  public func exists(where condition: Condition<T>? = nil) throws -> Bool {
    var text = QueryText("SELECT 1 FROM \(T.schema.table.name.quoted)")
    Query(condition: condition).addCondition(to: &text)
    text.sql += " LIMIT 1"
    return try rows(text) { _ in true }.first ?? false
  }

  func run(_ query: Query<T>) throws -> FetchedResult<T> {
    let core = T.schema.core
    return FetchedResult(objects: try rows(query.text) { try core.decode($0) }, query: query)
  }

  func rows<Row>(_ text: QueryText, _ decode: (RowReader) throws -> Row) throws -> [Row] {
    try source.fetch(T.self) { try text.rows(in: $0, decode) } ?? []
  }
}

extension QueryText {
  /// All rows, each decoded before the next one is read.
  func rows<Row>(in db: Database, _ decode: (RowReader) throws -> Row) throws -> [Row] {
    if let fault { throw UnsuitableValue(reason: fault) }
    let statement = try RowStatement(sql, in: db, isOften: !isVariable)
    defer { statement.reset() }
    try statement.bind(values)
    var rows: [Row] = []
    while try statement.step() { rows.append(try decode(statement.row)) }
    return rows
  }
}
