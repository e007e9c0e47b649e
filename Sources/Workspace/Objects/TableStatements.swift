/// The statements that every table needs. What a fetch uses is put together once; the rest is prepared once for each connection.
struct TableStatements: Sendable {
  private let table: String
  private let stored: [String]
  private let keyCondition: String
  /// All rows, up to the condition.
  let selection: String
  /// All columns, as in a `SELECT`.
  let columns: String
  /// The names of the key's columns.
  let key: [String]

  init(_ description: TableDescription) {
    table = description.name.quoted
    stored = description.columns.filter { $0.lookup == nil }.map(\.name.quoted)
    columns = description.columns.map { $0.lookup?.expression(in: description.name) ?? $0.name.quoted }
      .joined(separator: ", ")
    selection = "SELECT \(columns) FROM \(table)"
    key = description.key
    keyCondition = key.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
  }

  var insert: String {
    "INSERT INTO \(table) (\(stored.joined(separator: ", "))) VALUES (\(stored.map { _ in "?" }.joined(separator: ", ")))"
  }
  var delete: String { "DELETE FROM \(table) WHERE \(keyCondition)" }
  var select: String { "\(selection) WHERE \(keyCondition)" }
  /// The key's columns, ascending, as in an `ORDER BY`.
  var keyOrder: String { key.map(\.quoted).joined(separator: ", ") }

  /// Assigns columns; the key comes after them.
  func update(_ columns: [String]) -> String {
    "UPDATE \(table) SET \(columns.map { "\($0.quoted) = ?" }.joined(separator: ", ")) WHERE \(keyCondition)"
  }
}

extension String {
  /// As a name in SQL.
  var quoted: String {
    utf8.contains(UInt8(ascii: "\"")) ? "\"\(replacing("\"", with: "\"\""))\"" : "\"\(self)\""
  }
}
