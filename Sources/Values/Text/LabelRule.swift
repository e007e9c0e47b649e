/// The rules for labels of pipelines and runs: names and texts are short enough to be shown without truncation.
package enum LabelRule {
  /// The pattern for names: they begin with a letter or digit and have at most 63 characters.
  package static let namePattern = "^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$"
  /// The maximum number of labels that a pipeline or a call may set.
  package static let most = 32
  /// The maximum number of characters in a text.
  static let longest = 200

  /// The rule for names, in words.
  package static let nameText = "letters, digits, '.', '_', '/' and '-', at most 63, the first a letter or digit"

  package static func allows(name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 63 else { return false }
    return bytes.allSatisfy { isAlphanumeric($0) || "._/-".utf8.contains($0) }
  }

  /// Returns the problem with the text of a label as the end of a sentence, or nil if there is none.
  package static func problem(withText text: String) -> String? {
    if text.unicodeScalars.count > longest { return "is longer than the \(longest) characters allowed" }
    // Line breaks are control characters too.
    let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
    return text.unicodeScalars.contains(where: isControl) ? "holds a control character" : nil
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- 48 < 10 || (byte | 0x20) &- 97 < 26
  }
}
