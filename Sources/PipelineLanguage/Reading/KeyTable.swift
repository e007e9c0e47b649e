/// One key of a mapping in a pipeline file.
final class KeyRow: Sendable {
  /// The key as it is written.
  let key: String
  /// What it does, in one sentence.
  let summary: String
  /// What may stand behind it.
  let form: ValueForm
  /// What holds without it, in words or as it would be written.
  let defaultText: String?
  /// The actions that it has an effect on; nil means every one (and, outside operations, that the question does not arise).
  let actions: [ActionKey]?
  let isRequired: Bool
  /// Whether this version can act on it.
  let isAvailable: Bool
  /// Where it belongs instead; nil where this is its place.
  let elsewhere: (message: String, fix: String)?

  init(
    _ key: String, _ form: ValueForm, _ summary: String, default defaultText: String? = nil,
    only actions: [ActionKey]? = nil, required: Bool = false
  ) {
    self.key = key
    self.form = form
    self.summary = summary
    self.defaultText = defaultText
    self.actions = actions
    self.isRequired = required
    self.isAvailable = true
    elsewhere = nil
  }

  /// A key that belongs to the language but that this version cannot act on yet.
  init(notAvailable key: String) {
    self.key = key
    self.form = .data
    self.summary = "Not available in this version."
    self.defaultText = nil
    self.actions = nil
    self.isRequired = false
    self.isAvailable = false
    elsewhere = nil
  }

  /// A key that people look for here, and that belongs elsewhere: `message` goes on after the key.
  init(elsewhere key: String, _ message: String, fix: String) {
    self.key = key
    self.form = .data
    self.summary = "Belongs elsewhere."
    self.defaultText = nil
    self.actions = nil
    self.isRequired = false
    self.isAvailable = false
    elsewhere = (message, fix)
  }
}

/// The keys of one kind of mapping, for the reference.
struct KeySection: Sendable {
  /// What has these keys: `an operation`.
  let owner: String
  let rows: [KeyRow]
}

/// The keys that one kind of mapping may have.
///
/// The same rows drive reading, the suggestion for a misspelt key, the language reference and the JSON Schema. `Key` names the
/// rows in code, so that the compiler knows when one is read nowhere.
struct KeyTable<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
  /// What has these keys, as messages name it: `an operation`.
  let owner: String
  let rows: [KeyRow]
  private let places: [String: (row: Int, key: Key)]

  init(_ owner: String, _ rows: [KeyRow]) {
    self.owner = owner
    self.rows = rows
    var places: [String: (row: Int, key: Key)] = [:]
    for (position, row) in rows.enumerated() {
      if let key = Key(rawValue: row.key) { places[row.key] = (position, key) }
    }
    self.places = places
  }

  /// The row of the key that is written `text`.
  func place(of text: String) -> (row: KeyRow, key: Key)? {
    guard let place = places[text] else { return nil }
    return (rows[place.row], place.key)
  }

  /// The table for the reference; `owner` tells two apart whose messages name their mappings alike.
  func section(of owner: String? = nil) -> KeySection { KeySection(owner: owner ?? self.owner, rows: rows) }

  /// The keys that this version can act on.
  var availableKeys: [String] { rows.filter(\.isAvailable).map(\.key) }
}
