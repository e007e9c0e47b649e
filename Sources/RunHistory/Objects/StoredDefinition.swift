import SQLite
import Workspace

/// The text of a definition, which runs share.
struct StoredDefinition: Storable {
  var number: Int64
  var hash: String
  var text: String

  static let number = Field("number", \StoredDefinition.number)
  static let hash = Field("hash", \StoredDefinition.hash)
  static let text = Field("text", \StoredDefinition.text)
  static let schema = ObjectSchema(
    "definition", StoredDefinition.init, number, hash, text, key: number)
}

extension StoredDefinition {
  /// The statement that adds a text if its hash is new.
  static let adding = "INSERT INTO definition (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"

  /// Returns the number of a text, which is recorded if it is new. Requires a write transaction.
  static func add(_ text: String, hash: String, in db: Database) throws -> Int64 {
    try db.cachedStatement(sql: adding).execute(arguments: [hash, text])
    let number = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT number FROM definition WHERE hash = ?"), arguments: [hash])
    guard let number else { throw WorkspaceError.io(path: hash, code: 0, message: "a definition was not recorded") }
    return number
  }

  /// Returns the text with that hash.
  static func text(of hash: String, in db: Database) throws -> String? {
    try db.fetch(for: StoredDefinition.self).select(text, where: self.hash == hash).first
  }
}
