/// A key of a mapping in a pipeline file.
final class KeyRow: Sendable {
  /// The key as written.
  let key: String
  /// What it does, in one sentence.
  let summary: String
  /// The form of its value.
  let form: ValueForm
  /// The default, in words or as it would be written.
  let defaultText: String?
  /// The actions on which it has an effect; nil means all (or, outside operations, that this does not apply).
  let actions: [ActionKey]?
  let isRequired: Bool
  /// Whether this version supports it.
  let isAvailable: Bool
  /// The error for a key that belongs elsewhere; nil if it is in the right place.
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

  /// Creates a key of the language that this version does not support yet.
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

  /// Creates a key that users expect here but that belongs elsewhere: `message` continues after the key.
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
  /// The owner of the keys, such as `an operation`.
  let owner: String
  let rows: [KeyRow]
}

/// The keys of one kind of mapping.
///
/// The same rows are used for reading, suggestions for misspelt keys, the language reference and the JSON Schema. `Key` names the rows in code, so
/// that the compiler detects a key that is not read.
struct KeyTable<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
  /// The owner of the keys, as messages name it, such as `an operation`.
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

  /// Returns the row of the key `text`.
  func place(of text: String) -> (row: KeyRow, key: Key)? {
    guard let place = places[text] else { return nil }
    return (rows[place.row], place.key)
  }

  /// Returns the table for the reference; `owner` distinguishes tables whose mappings have the same name in messages.
  func section(of owner: String? = nil) -> KeySection { KeySection(owner: owner ?? self.owner, rows: rows) }

  /// The keys that this version supports.
  var availableKeys: [String] { rows.filter(\.isAvailable).map(\.key) }
}
