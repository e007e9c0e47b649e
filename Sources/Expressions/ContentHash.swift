import Crypto

/// SHA-256 in lower-case hexadecimal: what tells one text, such as a definition, from every other one.
package enum ContentHash {
  /// The hash of a text's UTF-8.
  package static func of(_ text: String) -> String {
    var text = text
    return hexadecimal(text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) })
  }

  /// A digest as text.
  package static func hexadecimal(_ digest: SHA256Digest) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
