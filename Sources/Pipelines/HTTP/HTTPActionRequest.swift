import HTTPOperations
import HTTPTypes
import Values

/// The request that an action comes to, once its expressions are known.
struct HTTPActionRequest {
  let action: HTTPAction
  /// Where relative paths start.
  let directory: String

  /// - Throws: ``OperationFailure``, or what an expression throws.
  func transfer(in contexts: borrowing RunContexts) throws -> HTTPTransferRequest {
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
      try setBody(of: &request, in: contexts)
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

  private func setBody(of request: inout HTTPTransferRequest, in contexts: borrowing RunContexts) throws {
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

  private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(directory)/\(path)" }
}
