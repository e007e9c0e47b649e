import Values

/// What an item of a loop is called behind its number: what the `label` of the loop makes of it, else its value.
package enum ItemLabel {
  /// In bytes. Longer values are no names, and making one of them takes as long as they are.
  package static let longest = 1 << 12

  /// What a value is called by itself: a text as it is, a mapping by its values, anything else as JSON. Nil where that is empty or too long.
  package static func text(of value: JSONValue) -> String? {
    let text: String
    switch value {
    case .object(let members): text = members.values.map(plain).joined(separator: ", ")
    default: text = plain(value)
    }
    return text.isEmpty || text.utf8.count > longest ? nil : text
  }

  /// The beginning of a label that was computed: no longer than what is shown of any value.
  package static func bounded(_ text: String) -> String? {
    guard text.utf8.count > longest else { return text.isEmpty ? nil : text }
    return String(decoding: text.utf8.prefix(longest), as: UTF8.self)
  }

  private static func plain(_ value: JSONValue) -> String { value.stringValue ?? value.text }
}

extension OperationRecord {
  /// What an item is called behind its number; nil where it is no item, or has nothing that could be its name.
  package var label: String? {
    guard parent != nil else { return nil }
    if let recordedLabel { return recordedLabel }
    guard let item, item.utf8.count <= ItemLabel.longest else { return nil }
    return ItemLabel.text(of: JSONValue(recorded: item))
  }
}
