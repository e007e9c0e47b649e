import Values

/// Formats lines that plugins log for people to read.
package enum PluginLogText {
  /// Returns the message followed by its fields: `echoes (bytes: 5, file: a.csv)`. Strings appear as they are, all other values as JSON.
  package static func words(_ message: String, _ fields: JSONValue?) -> String {
    guard let members = fields?.objectValue, !members.isEmpty else { return message }
    let words = members.map { name, value in "\(name): \(value.stringValue ?? value.text)" }
    return "\(message) (\(words.joined(separator: ", ")))"
  }
}
