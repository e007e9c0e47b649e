/// The statements that every table needs. Those for fetching are composed once; the others are prepared once per connection.
struct TableStatements: Sendable {
  // Composed by hand: `joined` makes the runtime look up conformances, which takes longer than the query of a short command.
  private let description: TableDescription
  private let table: String
  /// Selects all rows, up to the condition.
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

  /// Returns columns as in a `GROUP BY`.
  func order(of columns: [String]) -> String {
    var text = ""
    for column in columns { text += text.isEmpty ? column.quoted : ", " + column.quoted }
    return text
  }

  /// Returns a statement that assigns columns; the parameters of the key follow.
  func update(_ columns: [String]) -> String {
    "UPDATE \(table) SET \(columns.map { "\($0.quoted) = ?" }.joined(separator: ", "))\(keyCondition)"
  }
}

extension String {
  /// The text as a quoted SQL identifier.
  var quoted: String {
    utf8.contains(UInt8(ascii: "\"")) ? "\"\(replacing("\"", with: "\"\""))\"" : "\"" + self + "\""
  }
}
