/// The statements that every table needs. What a fetch uses is put together once; the rest is prepared once for each connection.
struct TableStatements: Sendable {
  // Put together by hand: `joined` has the runtime look for conformances, which takes a short command longer than the query.
  private let description: TableDescription
  private let table: String
  /// All rows, up to the condition.
  let selection: String
  /// All columns, as in a `SELECT`.
  let columns: String
  /// The names of the key's columns.
  var key: [String] { description.key }

  init(_ description: TableDescription) {
    self.description = description
    table = description.name.quoted
    var columns = ""
    for column in description.columns {
      if !columns.isEmpty { columns += ", " }
      columns += column.lookup?.expression(in: description.name) ?? column.name.quoted
    }
    self.columns = columns
    selection = "SELECT " + columns + " FROM " + table
  }

  var insert: String {
    let stored = description.columns.filter { $0.lookup == nil }
    return "INSERT INTO \(table) (\(stored.map(\.name.quoted).joined(separator: ", ")))"
      + " VALUES (\(stored.map { _ in "?" }.joined(separator: ", ")))"
  }
  var delete: String { "DELETE FROM \(table)\(keyCondition)" }
  var select: String { selection + keyCondition }

  private var keyCondition: String { " WHERE \(key.map { "\($0.quoted) = ?" }.joined(separator: " AND "))" }

  /// Columns as in a `GROUP BY`.
  func order(of columns: [String]) -> String {
    var text = ""
    for column in columns { text += text.isEmpty ? column.quoted : ", " + column.quoted }
    return text
  }

  /// Assigns columns; the key comes after them.
  func update(_ columns: [String]) -> String {
    "UPDATE \(table) SET \(columns.map { "\($0.quoted) = ?" }.joined(separator: ", "))\(keyCondition)"
  }
}

extension String {
  /// As a name in SQL.
  var quoted: String {
    utf8.contains(UInt8(ascii: "\"")) ? "\"\(replacing("\"", with: "\"\""))\"" : "\"" + self + "\""
  }
}
