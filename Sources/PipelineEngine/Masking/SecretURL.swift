import HTTPOperations

/// A secret that is a URL, such as the address of a webhook.
///
/// It rarely appears again in full: messages omit its query and have its host in lower case, and a server's response mentions its path. Its sensitive
/// pieces are therefore secrets themselves.
enum SecretURL {
  /// Shorter pieces, such as the path `/api` or the value `true`, occur everywhere in ordinary text.
  private static let shortestPiece = 6
  /// The minimum length of a piece that may be a word; random names are at least this long.
  private static let shortestName = 16

  /// Returns the sensitive pieces of `secret`, or none if it is not a URL.
  static func pieces(of secret: String) -> [String] {
    // A text with a line break or a space is not a URL; neither is one that is pages long.
    guard secret.utf8.count <= 8192, let start = secret.firstRange(of: "://"), let url = try? HTTPURL(secret) else {
      return []
    }
    // As it is written, and as it is parsed: parsing resolves dots in a path.
    let rest = secret[start.upperBound...].prefix { $0 != "#" }
    let target = rest.drop { $0 != "/" && $0 != "?" }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var pieces = [String(target), parts.first ?? "", url.path, url.path + (url.query.map { "?\($0)" } ?? "")]
    if let query = url.query {
      pieces.append(query)
      for parameter in query.split(separator: "&") {
        let value = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).last
        pieces.append(String(value ?? parameter))
      }
    }
    // A path is also reported without its slash, and its last segment alone. Only a long one is more than a word.
    let names = [String(url.path.dropFirst()), url.path.split(separator: "/").last.map(String.init) ?? ""]
    pieces += names.filter { $0.utf8.count >= shortestName }
    pieces += [url.user, url.password].compactMap(\.self)
    if let user = url.user, let password = url.password { pieces.append("\(user):\(password)") }
    let decoded = pieces.compactMap { piece in
      PercentEncoding.decode(piece).flatMap { String(validating: $0, as: UTF8.self) }
    }
    var seen: Set<String> = []
    return (pieces + decoded).filter { $0.utf8.count >= shortestPiece && seen.insert($0).inserted }
  }
}
