import Crypto
import Values

/// SHA-256 in lower-case hexadecimal: what tells one text, such as a definition, from every other one.
package enum ContentHash {
  /// The hash of a text's UTF-8.
  package static func of(_ text: String) -> String {
    var text = text
    return text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }.hexadecimal
  }
}
