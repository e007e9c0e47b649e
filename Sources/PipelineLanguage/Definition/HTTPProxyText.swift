/// The text of `proxy`.
package enum HTTPProxyText {
  /// Whether a text can be the URL of a proxy, or says that there is none.
  package static func canBeProxy(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    guard let end = text.firstRange(of: "://") else { return true }
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    return schemes.contains(text[..<end.lowerBound].lowercased()) && end.upperBound < text.endIndex
  }

  /// What is wrong with a text that cannot.
  package static let noProxy = "no URL of a proxy, such as 'http://proxy:3128' or 'socks5h://localhost:1080'"
}
