import HTTPOperations
import Values

/// Reads the keys of `http` that contain no expressions.
extension DocumentReader {
  func readExpectations(_ node: YAMLNode, into action: inout HTTPAction) {
    readKeys(of: node, HTTPExpectKey.table) { key, _, entry in
      let words = self.texts(entry.value, "'\(key.rawValue)'", allowsOne: true)
      switch key {
      case .status:
        var codes: Set<Int> = []
        for (text, node) in words {
          if let read = Self.statuses(text) {
            codes.formUnion(read)
          } else {
            error(
              .invalidStatus, "'\(text)' is not a status", at: node.range,
              fix: "write a number from 100 to 599 such as '404', or a class such as '2xx'")
          }
        }
        action.statuses = (codes, words.map(\.text).joined(separator: ", "))
      case .type:
        for (text, node) in words {
          if MediaTypePattern(text) == nil {
            error(
              .invalidMediaType, "'\(text)' is not a media type", at: node.range,
              fix: "write it like 'application/json', 'text/*' or 'application/*+json', without parameters")
          }
          action.types.append(text)
        }
      }
    }
  }

  func readRedirects(_ node: YAMLNode, into action: inout HTTPAction) {
    var (limit, insecure): (Int, Bool) = (10, false)
    if node.entries == nil {
      guard let number = int(node, "'redirects'", minimum: 0, maximum: 50) else { return }
      limit = number
    } else {
      readKeys(of: node, HTTPRedirectKey.table) { key, _, entry in
        switch key {
        case .limit: if let number = int(entry.value, "'limit'", minimum: 0, maximum: 50) { limit = number }
        case .insecure: if let allows = bool(entry.value, "'insecure'") { insecure = allows }
        }
      }
    }
    action.options.redirects = limit == 0 ? .deliver : .follow(limit: limit, allowsInsecure: insecure)
  }

  func readLimits(_ node: YAMLNode, into action: inout HTTPAction) {
    readKeys(of: node, HTTPLimitKey.table) { key, _, entry in
      let (value, what) = (entry.value, "'\(key.rawValue)'")
      switch key {
      case .connect: if let time = duration(value, what, allowsZero: false) { action.options.timeouts.connect = time }
      case .firstByte:
        if let time = duration(value, what, allowsZero: false) { action.options.timeouts.firstByte = time }
      case .idle: if let time = duration(value, what, allowsZero: false) { action.options.timeouts.idle = time }
      case .body:
        guard let bytes = size(value, what) else { return }
        (action.options.limits.body, action.options.limits.file) = (bytes, bytes)
      // Belongs elsewhere, which was reported already.
      case .total: return
      case .head: if let bytes = size(value, what) { action.options.limits.head = Int(clamping: bytes) }
      }
    }
  }

  func readTLS(_ node: YAMLNode, into action: inout HTTPAction) {
    var certificate: String?
    var key: String?
    readKeys(of: node, HTTPTLSKey.table) { name, _, entry in
      switch name {
      case .verify: if let verifies = bool(entry.value, "'verify'") { action.options.tls.verifies = verifies }
      case .authorities: action.options.tls.authorities = plainText(entry.value, "'authorities'")
      case .certificate: certificate = plainText(entry.value, "'certificate'")
      case .key: key = plainText(entry.value, "'key'")
      case .minimum:
        if let version = choice(entry.value, "'minimum'", HTTPTLSSettings.Version.self) {
          action.options.tls.minimumVersion = version
        }
      }
    }
    if let certificate {
      action.options.tls.certificate = HTTPTLSSettings.Certificate(chain: certificate, key: key)
    } else if key != nil, let range = node["key"]?.range {
      error(.missingKey, "'key' belongs to a 'certificate'", at: range)
    }
  }

  /// Returns the statuses of a number such as `404` or a class such as `2xx`; nil if the text is neither.
  static func statuses(_ text: String) -> Set<Int>? {
    if text.utf8.count == 3, text.lowercased().hasSuffix("xx"), let first = text.first?.wholeNumberValue,
      (1...5).contains(first)
    {
      return Set(first * 100..<first * 100 + 100)
    }
    guard let code = Int(text), (100..<600).contains(code) else { return nil }
    return [code]
  }
}
