/// The text of `proxy`.
package enum HTTPProxyText {
  /// Returns whether a text can be a proxy URL or means that there is no proxy.
  package static func canBeProxy(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    guard let end = text.firstRange(of: "://") else { return true }
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    return schemes.contains(text[..<end.lowerBound].lowercased()) && end.upperBound < text.endIndex
  }

  /// The description of an invalid text, for messages.
  package static let noProxy = "no URL of a proxy, such as 'http://proxy:3128' or 'socks5h://localhost:1080'"
}
