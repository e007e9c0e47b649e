import Crypto
import Values

/// SHA-256 hashes in lowercase hexadecimal, which identify texts such as definitions.
package enum ContentHash {
  /// Returns the hash of a text's UTF-8 bytes.
  package static func of(_ text: String) -> String {
    var text = text
    return text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }.hexadecimal
  }
}
