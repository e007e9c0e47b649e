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
  /// The text with that hash.
  static func text(of hash: String, in db: Database) throws -> String? {
    try db.fetch(for: StoredDefinition.self).select(text, where: self.hash == hash).first
  }
}
