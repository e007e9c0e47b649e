import Expressions
import HTTPOperations
import HTTPTypes
import Values

extension DocumentReader {
  /// Reads `http`. Reports errors that do not depend on the values of its expressions.
  func readHTTP(_ node: YAMLNode, into draft: OperationDraft) {
    var action = HTTPAction()
    var bodies: [(key: HTTPKey, range: SourceRange)] = []
    guard node.entries != nil else {
      guard node.text != nil, !isNull(node) else { return wrongForm(node, "'http'", needs: "a URL or a mapping") }
      readURL(node, "'http'", into: &action, draft)
      draft.http = action
      return
    }
    readKeys(of: node, HTTPKey.table) { key, _, entry in
      if HTTPKey.bodies.contains(key) { bodies.append((key, entry.key.range)) }
      readHTTP(key, entry, into: &action, draft)
    }
    if node["url"] == nil {
      error(.missingKey, "'http' needs a 'url'", at: node.entries?.first?.key.range ?? node.range)
    }
    if bodies.count > 1 {
      error(
        .severalBodies, "'http' has both '\(bodies[0].key.rawValue)' and '\(bodies[1].key.rawValue)'",
        at: bodies[1].range, fix: "a request has one body: keep one of them")
    } else if let first = bodies.first, ["GET", "HEAD", "TRACE"].contains(action.effectiveMethod) {
      error(
        .bodyWithoutMeaning, "a \(action.effectiveMethod) request has no body, but there is '\(first.key.rawValue)'",
        at: first.range, fix: "write 'method: POST', or whatever the server expects")
    }
    if action.effectiveMethod == "HEAD", let save = node.entries?.first(where: { $0.name == "save_to" }) {
      error(
        .bodyWithoutMeaning, "the response to a HEAD request has no body that could be saved", at: save.key.range,
        fix: "leave 'save_to' out, or write 'method: GET'")
    }
    if let checksum = node["checksum"], action.saveTo == nil {
      error(.misplacedKey, "'checksum' is of the file that 'save_to' names", at: checksum.range)
    }
    draft.http = action
  }

  /// Combines the parts read of a request, whose retries depend on keys in any order.
  func finishHTTP(of draft: OperationDraft, _ node: YAMLNode) {
    guard var action = draft.http else { return }
    action.retriesAnything = node["retry"] != nil
    // A report has an idempotency key unless the file sets a different one.
    let hasKey = action.isReport || action.headers.contains { $0.name.lowercased() == "idempotency-key" }
    let isIdempotent = HTTPRetryTable.idempotentMethods.contains(action.effectiveMethod) || hasKey
    if !action.retriesAnything {
      // A retry from `defaults` applies only if repeating the request is harmless.
      if !isIdempotent {
        draft.definition.retry.limit = 0
      } else if draft.definition.retry.limit == 0, !draft.hasDefaultRetry {
        draft.definition.retry.limit = 3
      }
    }
    let words = Set(draft.earlyWords.map(\.name))
    draft.earlyWords = []
    action.early = HTTPEarlyRetry(
      network: words.contains("reachable"), endpoint: words.contains("reachable"),
      peerSuccess: words.contains("peer-success"))
    checkErrorCodes(node["retry"]?["on"])
    // The file's password is a secret, although the pipeline does not declare it.
    if case .netrc = action.authorization { draft.definition.receivesSecret = true }
    draft.definition.action = .http(action)
    let isSaved = action.saveTo != nil
    if isSaved, let result = draft.definition.result, result != .file, result != .none, let range = draft.resultRange {
      error(
        .typeMismatch, "\(draft.title) saves the body to a file, so that its result is a file or none, not \(result)",
        at: range)
    }
  }

  private func readHTTP(_ key: HTTPKey, _ entry: YAMLEntry, into action: inout HTTPAction, _ draft: OperationDraft) {
    let value = entry.value
    switch key {
    case .method:
      guard let text = plainText(value, "'method'") else { return }
      checked(at: value.range) { () throws(HTTPEncodingError) in
        action.method = try HTTPRequest.Method(checking: text).rawValue
      }
      if action.method == "CONNECT" {
        error(
          HTTPEncodingError.Code.invalidMethod,
          "the method CONNECT asks a proxy for a tunnel, and cannot be sent by itself",
          at: value.range,
          fix: "name the proxy with 'proxy': its tunnels are made where they are needed")
      }
    case .url: readURL(value, into: &action, draft)
    case .query:
      guard let entries = value.entries else { return wrongForm(value, "'query'", needs: "a mapping") }
      action.query = entries.map { ($0.name, data($0.value, .http, into: &draft.sites)) }
    case .headers: action.headers = headers(value, into: draft)
    case .body:
      if let text = template(value, "'body'", .http, into: &draft.sites) { action.body = .text(text) }
    case .json: action.body = .json(data(value, .http, into: &draft.sites))
    case .form: action.body = .form(form(value, into: draft))
    case .file:
      if let path = template(value, "'file'", .httpShown, into: &draft.sites) { action.body = .file(path) }
    case .auth: action.authorization = authorization(value, into: draft)
    case .expect: readExpectations(value, into: &action)
    case .saveTo: readSaveTo(value, into: &action, draft)
    case .checksum:
      action.checksum = template(value, "'checksum'", .httpShown, into: &draft.sites)
      if let checksum = action.checksum, checksum.isLiteral, HTTPChecksum(checksum.text) == nil {
        error(
          .invalidChecksum, "'checksum' needs an algorithm and its digits", at: value.range,
          fix:
            "write it like 'sha256:…' with 64 digits; there are \(HTTPChecksum.Algorithm.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
    case .redirects: readRedirects(value, into: &action)
    case .limits: readLimits(value, into: &action)
    case .tls: readTLS(value, into: &action)
    case .proxy: action.proxy = proxy(value, into: draft)
    case .version:
      if let version = choice(value, "'http_version'", HTTPVersionPolicy.self) { action.options.version = version }
    }
  }

  /// Reads a URL: `url` of `http` and of `notify`.
  func readURL(_ node: YAMLNode, _ what: String = "'url'", into action: inout HTTPAction, _ draft: OperationDraft) {
    guard let url = template(node, what, .http, into: &draft.sites) else { return }
    action.url = url
    if url.isLiteral, let expression = Self.reference(url.text) {
      error(
        HTTPEncodingError.Code.invalidURL, "'\(expression)' is text here, not a URL", at: node.range,
        fix: "write ${{ \(expression) }} for its value")
    } else if url.isLiteral {
      checked(at: node.range) { () throws(HTTPEncodingError) in _ = try HTTPURL(url.text) }
    } else if case .literal(let text)? = url.segments.first {
      let start = text.lowercased()
      guard !start.hasPrefix("http://"), !start.hasPrefix("https://") else { return }
      error(HTTPEncodingError.Code.invalidURL, "the URL begins with neither http:// nor https://", at: node.range)
    }
  }

  /// Returns `text` if it names a value as expressions do, such as `params.url`; otherwise nil.
  private static func reference(_ text: String) -> String? {
    let contexts = ["params", "results", "env", "secrets", "artifacts", "run", "previous"]
    guard let dot = text.firstIndex(of: "."), contexts.contains(String(text[..<dot])),
      !text.utf8.contains(UInt8(ascii: "/")), !text.utf8.contains(UInt8(ascii: ":"))
    else { return nil }
    return text
  }

  /// Reads `proxy`.
  func proxy(_ node: YAMLNode, into draft: OperationDraft) -> Template? {
    guard let proxy = template(node, "'proxy'", .http, into: &draft.sites) else { return nil }
    if proxy.isLiteral, !HTTPProxyText.canBeProxy(proxy.text) {
      error(.invalidProxy, "'proxy' is \(HTTPProxyText.noProxy)", at: node.range)
    }
    return proxy
  }

  /// Reads header fields, in file order.
  func headers(_ node: YAMLNode, into draft: OperationDraft) -> [(name: String, value: Template)] {
    guard let entries = node.entries else {
      wrongForm(node, "'headers'", needs: "a mapping")
      return []
    }
    var headers: [(name: String, value: Template)] = []
    for entry in entries {
      let value = template(entry.value, "the header '\(entry.name)'", .http, into: &draft.sites)
      guard
        checked(
          at: entry.key.range, { () throws(HTTPEncodingError) in _ = try HTTPField.Name(checking: entry.name) }),
        let value
      else { continue }
      if let reason = Self.ownFields[entry.name.lowercased()] {
        error(
          .misplacedField, "the field '\(entry.name)' cannot be set: \(reason)", at: entry.key.range,
          fix: "leave it out")
        continue
      }
      if value.isLiteral {
        checked(at: entry.value.range) { () throws(HTTPEncodingError) in
          var fields = HTTPFields()
          try fields.append(name: entry.name, value: value.text)
        }
      }
      headers.append((entry.name, value))
    }
    return headers
  }

  /// The fields that the transfer itself determines, each with the reason.
  private static let ownFields = [
    "content-length": "it follows from the body",
    "transfer-encoding": "it follows from the body",
    "connection": "connections are kept and used again as the server allows",
  ]

  private func form(_ node: YAMLNode, into draft: OperationDraft) -> [(name: String, value: HTTPAction.FormValue)] {
    guard let entries = node.entries else {
      wrongForm(node, "'form'", needs: "a mapping")
      return []
    }
    var fields: [(name: String, value: HTTPAction.FormValue)] = []
    for entry in entries {
      guard entry.value.entries != nil else {
        if let text = template(entry.value, "the field '\(entry.name)'", .http, into: &draft.sites) {
          fields.append((entry.name, .text(text)))
        }
        continue
      }
      readKeys(of: entry.value, HTTPFormFileKey.table) { _, _, inner in
        if let path = template(inner.value, "'file'", .httpShown, into: &draft.sites) {
          fields.append((entry.name, .file(path)))
        }
      }
    }
    return fields
  }

  /// Reads `auth`.
  func authorization(_ node: YAMLNode, into draft: OperationDraft) -> HTTPAction.Authorization? {
    var found: [HTTPAction.Authorization] = []
    readKeys(of: node, HTTPAuthKey.table) { key, _, entry in
      switch key {
      case .bearer:
        if let token = template(entry.value, "'bearer'", .http, into: &draft.sites) { found.append(.bearer(token)) }
      case .netrc:
        if let path = template(entry.value, "'netrc'", .httpShown, into: &draft.sites) { found.append(.netrc(path)) }
      case .basic:
        var user: Template?
        var password = Template(literal: "")
        readKeys(of: entry.value, HTTPBasicKey.table) { key, _, inner in
          guard let text = template(inner.value, "'\(key.rawValue)'", .http, into: &draft.sites) else { return }
          if key == .user { user = text } else { password = text }
        }
        if let user {
          found.append(.basic(user: user, password: password))
        } else if entry.value.entries != nil {
          error(.missingKey, "'basic' needs a 'user'", at: entry.key.range)
        }
      }
    }
    if let entries = node.entries, entries.count != 1 {
      wrongForm(node, "'auth'", needs: "exactly one of 'basic', 'bearer' and 'netrc'")
    }
    return found.first
  }

  private func readSaveTo(_ node: YAMLNode, into action: inout HTTPAction, _ draft: OperationDraft) {
    guard node.entries != nil else {
      action.saveTo = template(node, "'save_to'", .httpShown, into: &draft.sites)
      return
    }
    readKeys(of: node, HTTPSaveKey.table) { key, _, entry in
      switch key {
      case .path: action.saveTo = template(entry.value, "'path'", .httpShown, into: &draft.sites)
      case .ifExists:
        if let word = choice(entry.value, "'if_exists'", HTTPDownload.Collision.self) { action.collision = word }
      }
    }
    if node["path"] == nil { error(.missingKey, "'save_to' needs a 'path'", at: node.range) }
  }

  /// Reports the error that `body` throws; returns whether it succeeded.
  @discardableResult
  private func checked(at range: SourceRange, _ body: () throws(HTTPEncodingError) -> Void) -> Bool {
    do throws(HTTPEncodingError) {
      try body()
      return true
    } catch {
      self.error(error.code, error.message, at: range)
      return false
    }
  }
}
