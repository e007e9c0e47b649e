/// The statements that every table needs, put together once.
struct TableStatements: Sendable {
  let insert: String
  let delete: String
  let select: String
  /// All rows, up to the condition.
  let selection: String
  private let updateStart: String
  private let updateEnd: String
  /// All columns, as in a `SELECT`.
  let columns: String
  /// The key's columns, ascending, as in an `ORDER BY`.
  let keyOrder: String

  init(_ table: TableDescription) {
    let name = table.name.quoted
    let names = table.columns.map(\.name.quoted)
    let key = table.key.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
    columns = names.joined(separator: ", ")
    keyOrder = table.key.map(\.quoted).joined(separator: ", ")
    insert = "INSERT INTO \(name) (\(columns)) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    updateStart = "UPDATE \(name) SET "
    updateEnd = " WHERE \(key)"
    delete = "DELETE FROM \(name) WHERE \(key)"
    select = "SELECT \(columns) FROM \(name) WHERE \(key)"
    selection = "SELECT \(columns) FROM \(name)"
  }

  /// Assigns columns; the key comes after them.
  func update(_ columns: [String]) -> String {
    updateStart + columns.map { "\($0.quoted) = ?" }.joined(separator: ", ") + updateEnd
  }
}

extension String {
  /// As a name in SQL.
  var quoted: String {
    "\"" + reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
  }
}
