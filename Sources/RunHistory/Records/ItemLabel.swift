import Values

/// The label of an item of a loop, shown after its number: the result of the loop's `label`, otherwise its value.
package enum ItemLabel {
  /// In bytes. Longer values are not suitable as labels, and converting one takes correspondingly long.
  package static let longest = 1 << 12

  /// Returns the default label of a value: a string unchanged, a mapping by its values, anything else as JSON. Nil if that is empty or too long.
  package static func text(of value: JSONValue) -> String? {
    let text: String
    switch value {
    case .object(let members): text = members.values.map(plain).joined(separator: ", ")
    default: text = plain(value)
    }
    return text.isEmpty || text.utf8.count > longest ? nil : text
  }

  /// Returns the beginning of a computed label, limited to the length shown of any value.
  package static func bounded(_ text: String) -> String? {
    guard text.utf8.count > longest else { return text.isEmpty ? nil : text }
    return String(decoding: text.utf8.prefix(longest), as: UTF8.self)
  }

  private static func plain(_ value: JSONValue) -> String { value.stringValue ?? value.text }
}

extension OperationRecord {
  /// The label of an item; nil if it is not an item, or has nothing that could be its label.
  package var label: String? {
    guard parent != nil else { return nil }
    if let recordedLabel { return recordedLabel }
    guard let item, item.utf8.count <= ItemLabel.longest else { return nil }
    return ItemLabel.text(of: JSONValue(recorded: item))
  }
}
