import Values

/// A line that a plugin logs, as people read it.
package enum PluginLogText {
  /// What the plugin says, with its fields behind that: `echoes (bytes: 5, file: a.csv)`. Texts stand there as they are, everything else as JSON.
  package static func words(_ message: String, _ fields: JSONValue?) -> String {
    guard let members = fields?.objectValue, !members.isEmpty else { return message }
    let words = members.map { name, value in "\(name): \(value.stringValue ?? value.text)" }
    return "\(message) (\(words.joined(separator: ", ")))"
  }
}
