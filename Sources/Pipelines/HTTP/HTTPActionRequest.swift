import HTTPOperations
import HTTPTypes
import Values

/// The request that an action comes to, once its expressions are known.
struct HTTPActionRequest {
  let action: HTTPAction
  /// Where relative paths start.
  let directory: String

  /// Throws ``OperationFailure``, or what an expression throws. A `notify` needs its report.
  func transfer(in contexts: borrowing RunContexts, report: RunReport? = nil) throws -> HTTPTransferRequest {
    do {
      var url = try HTTPURL(urlText(in: contexts))
      url.append(query: try queryItems(in: contexts))
      var fields = HTTPFields()
      for header in action.headers {
        try fields.append(name: header.name, value: try header.value.evaluate(in: contexts).injectedText)
      }
      var request = HTTPTransferRequest(
        method: try HTTPRequest.Method(checking: action.effectiveMethod), url: url.text, fields: fields,
        options: try options(in: contexts))
      try setBody(of: &request, in: contexts, report)
      if let authorization = try authorization(url, in: contexts) {
        request.fields[.authorization] = request.fields[.authorization] ?? authorization
      }
      return request
    } catch let error as HTTPEncodingError {
      throw OperationFailure(code: error.code.rawValue, message: "http: \(error.message)")
    }
  }

  /// A path, from the directory of the pipeline's file.
  func path(_ template: Template, in contexts: borrowing RunContexts) throws -> String {
    let text = try template.evaluate(in: contexts).injectedText
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw OperationFailure(code: "value-mismatch", message: "http: '\(text.escapedForMessage)' is no path")
    }
    return absolute(text)
  }

  /// What an expression at the beginning yields is the URL, or how it begins; what a later one yields is one component
  /// of it, which it cannot end.
  private func urlText(in contexts: borrowing RunContexts) throws -> String {
    var text = ""
    for (index, segment) in action.url.segments.enumerated() {
      switch segment {
      case .literal(let literal): text += literal
      case .expression(let expression, _):
        let value = try expression.evaluate(in: contexts).injectedText
        guard index > 0 else {
          text += value
          continue
        }
        guard value != ".", value != ".." else {
          throw OperationFailure(
            code: "value-mismatch", message: "http: a part of the URL is '\(value)', which would name another path")
        }
        text += PercentEncoding.encode(value)
      }
    }
    return text
  }

  private func queryItems(in contexts: borrowing RunContexts) throws -> [HTTPQueryItem] {
    var items: [HTTPQueryItem] = []
    for parameter in action.query {
      switch try parameter.value.evaluate(in: contexts) {
      case .null: continue
      case .array(let values): items += values.map { HTTPQueryItem(parameter.name, $0.injectedText) }
      case let value: items.append(HTTPQueryItem(parameter.name, value.injectedText))
      }
    }
    return items
  }

  private func setBody(
    of request: inout HTTPTransferRequest, in contexts: borrowing RunContexts, _ report: RunReport?
  ) throws {
    let type: String
    switch action.body {
    case .none: return
    case .text(let template):
      request.body = .bytes(Array(try template.evaluate(in: contexts).injectedText.utf8))
      type = MediaType.text.description
    case .json(let data):
      request.body = .bytes(Array(try data.evaluate(in: contexts).text.utf8))
      type = MediaType.json.description
    case .file(let template):
      request.body = .file(path: try path(template, in: contexts))
      type = MediaType.octetStream.description
    case .report(let message, _):
      guard let report else { return }
      let text = try message?.evaluate(in: contexts).injectedText ?? report.text
      let body = Array(report.jsonValue(text: text).text.utf8)
      request.body = .bytes(body)
      type = MediaType.json.description
      if request.fields[.idempotencyKey] == nil { request.fields[.idempotencyKey] = report.idempotencyKey }
      if let key = try action.signature?.evaluate(in: contexts).injectedText {
        request.fields[.signature] = RunReport.signature(of: body, key: key)
      }
    case .form(let fields):
      var parts: [HTTPForm.Part] = []
      for field in fields {
        switch field.value {
        case .text(let template):
          parts.append(.init(field.name, try template.evaluate(in: contexts).injectedText))
        case .file(let template):
          parts.append(.init(field.name, .file(path: try path(template, in: contexts), type: .octetStream)))
        }
      }
      var random = SystemRandomNumberGenerator()
      let (bytes, contentType) = try HTTPForm(parts).encoded(using: &random)
      request.body = .bytes(bytes)
      type = contentType
    }
    if request.fields[.contentType] == nil { request.fields[.contentType] = type }
  }

  private func authorization(_ url: HTTPURL, in contexts: borrowing RunContexts) throws -> String? {
    switch action.authorization {
    case nil:
      guard let user = url.user else { return nil }
      return try HTTPAuthorization.basic(user: user, password: url.password ?? "").fieldValue(for: url.host)
    case .basic(let user, let password):
      return try HTTPAuthorization.basic(
        user: try user.evaluate(in: contexts).injectedText, password: try password.evaluate(in: contexts).injectedText
      ).fieldValue(for: url.host)
    case .bearer(let token):
      return try HTTPAuthorization.bearer(try token.evaluate(in: contexts).injectedText).fieldValue(for: url.host)
    case .netrc(let file):
      return try HTTPAuthorization.netrc(try NetrcFile(path: try path(file, in: contexts))).fieldValue(for: url.host)
    }
  }

  private func options(in contexts: borrowing RunContexts) throws -> HTTPTransferOptions {
    var options = action.options
    if case .follow(let limit, _, let allowsInsecure) = options.redirects {
      // Whatever an expression has put into a field may be a secret: another host does not get it.
      let computed = action.headers.filter { !$0.value.isLiteral }.compactMap { HTTPField.Name($0.name) }
      options.redirects = .follow(limit: limit, secretFields: Set(computed), allowsInsecure: allowsInsecure)
    }
    if let proxy = try action.proxy?.evaluate(in: contexts).injectedText {
      guard Self.canBeProxy(proxy) else {
        // It is not shown: there may be a password in it.
        throw OperationFailure(code: "value-mismatch", message: "http: 'proxy' is \(Self.noProxy)")
      }
      options.proxies = proxy.isEmpty ? HTTPProxies.none : HTTPProxies(all: proxy)
    }
    options.tls.authorities = options.tls.authorities.map(absolute)
    if var certificate = options.tls.certificate {
      certificate.chain = absolute(certificate.chain)
      certificate.key = certificate.key.map(absolute)
      options.tls.certificate = certificate
    }
    return options
  }

  /// Whether a text can be the URL of a proxy, or says that there is none.
  static func canBeProxy(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    guard let end = text.firstRange(of: "://") else { return true }
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    return schemes.contains(text[..<end.lowerBound].lowercased()) && end.upperBound < text.endIndex
  }

  /// What is wrong with a text that cannot.
  static let noProxy = "no URL of a proxy, such as 'http://proxy:3128' or 'socks5h://localhost:1080'"

  private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(directory)/\(path)" }
}

extension HTTPField.Name {
  /// `Idempotency-Key`: a server does once what is asked for twice with the same one.
  fileprivate static var idempotencyKey: Self { known("Idempotency-Key") }
  /// `Penstock-Signature`: see ``RunReport/signature(of:key:)``.
  fileprivate static var signature: Self { known("Penstock-Signature") }

  private static func known(_ name: String) -> Self { HTTPField.Name(name) ?? .contentType }
}
