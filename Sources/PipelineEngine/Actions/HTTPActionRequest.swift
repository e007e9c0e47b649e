import Expressions
import HTTPOperations
import HTTPTypes
import PipelineLanguage
import Values

/// The request of an action, once its expressions are known.
struct HTTPActionRequest {
  let action: HTTPAction
  /// The directory that relative paths are resolved against.
  let directory: String

  /// The evaluated action.
  struct Prepared {
    var request: HTTPTransferRequest
    /// Its secrets that are not the pipeline's: those of a netrc file.
    var credentials: [String] = []
    /// Its body, if writing it takes longer than the event loop may be blocked.
    var largeBody: LargeBody?
  }

  /// A body that is not written yet.
  struct LargeBody: Sendable {
    let value: JSONValue
    let isJSON: Bool

    /// Writes the body. Throws ``OperationFailure``.
    func bytes() throws -> [UInt8] { try isJSON ? HTTPActionRequest.json(value) : Array(value.injectedText.utf8) }
  }

  /// Returns the request. A `notify` requires its report. Throws ``OperationFailure``, the error of an expression, or `HTTPEncodingError` if the
  /// process has no descriptor to read a file.
  func transfer(in contexts: borrowing RunContexts, report: RunReport? = nil) throws -> Prepared {
    do {
      var url = try url(in: contexts)
      url.append(query: try queryItems(in: contexts))
      var fields = HTTPFields()
      for header in action.headers {
        try fields.append(name: header.name, value: try header.value.evaluate(in: contexts).injectedText)
      }
      var request = HTTPTransferRequest(
        method: try HTTPRequest.Method(checking: action.effectiveMethod), url: url.text, fields: fields,
        options: try options(in: contexts))
      let largeBody = try setBody(of: &request, in: contexts, report)
      let (authorization, credentials) = try authorization(url, in: contexts)
      if let authorization {
        request.fields[.authorization] = request.fields[.authorization] ?? authorization
      }
      return Prepared(request: request, credentials: credentials, largeBody: largeBody)
    } catch let error as HTTPEncodingError where error.shortage == nil {
      throw OperationFailure(code: error.code.rawValue, message: "http: \(error.message)")
    }
  }

  /// Returns a path, resolved against the directory of the pipeline's file.
  ///
  /// An expression that is the whole path, or everything before its first slash, is a path or a directory anywhere. Any other is a name, or a path
  /// below what precedes it, and cannot lead out of there.
  func path(_ template: Template, in contexts: borrowing RunContexts) throws -> String {
    func fail(_ problem: String) -> OperationFailure {
      OperationFailure(code: "value-mismatch", message: "http: \(problem)")
    }
    var joined = JoinedText()
    var isAbsolute = false
    for (index, segment) in template.segments.enumerated() {
      switch segment {
      case .literal(let literal): joined.append(literal: literal)
      case .expression(let expression, _):
        let value = try expression.evaluate(in: contexts).injectedText
        if index == 0, template.leadsWithPath {
          guard !value.isEmpty else { throw fail("'' is not a path") }
          joined.append(literal: value)
        } else {
          if index == 0, value.hasPrefix("/") { isAbsolute = true }
          joined.append(value: value)
        }
      }
    }
    let text = joined.text
    guard !text.isEmpty, !text.utf8.contains(0) else { throw fail("'\(text.escapedForMessage)' is not a path") }
    if isAbsolute || joined.part(among: [".."], isURL: false) != nil {
      throw fail(
        "the value of an expression makes the path '\(text.escapedForMessage)' leave its directory: "
          + "if that is intended, use an expression for the whole path or for everything before the first '/'")
    }
    return absolute(text)
  }

  /// Returns the URL. An expression at the beginning yields the URL or its beginning; a later one yields one component, which it cannot leave.
  private func url(in contexts: borrowing RunContexts) throws -> HTTPURL {
    var joined = JoinedText()
    for (index, segment) in action.url.segments.enumerated() {
      switch segment {
      case .literal(let literal): joined.append(literal: literal)
      case .expression(let expression, _):
        let value = try expression.evaluate(in: contexts).injectedText
        if index == 0 {
          joined.append(literal: value)
        } else {
          joined.append(value: PercentEncoding.encode(value))
        }
      }
    }
    if let part = joined.part(among: [".", ".."], isURL: true) {
      throw OperationFailure(
        code: "value-mismatch", message: "http: a component of the URL is '\(part)', which would change the path")
    }
    do throws(HTTPEncodingError) {
      return try HTTPURL(joined.text)
    } catch {
      guard Self.hasPortInHost(joined.text) else { throw error }
      throw OperationFailure(
        code: error.code.rawValue,
        message: "http: the value of the expression for the host contains ':', which is not allowed in a name: "
          + "write the port outside the expression, as in 'http://${{ … }}:8080/', or begin the URL with an "
          + "expression whose value includes 'http://'")
    }
  }

  /// Whether a value with a colon is used as the host.
  private static func hasPortInHost(_ url: String) -> Bool {
    guard let start = url.firstRange(of: "://")?.upperBound else { return false }
    let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return authority.split(separator: "@", omittingEmptySubsequences: false).last?.contains("%3A") == true
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

  /// Sets the body with its type. Returns the body if it is large and has yet to be written.
  private func setBody(
    of request: inout HTTPTransferRequest, in contexts: borrowing RunContexts, _ report: RunReport?
  ) throws -> LargeBody? {
    let type: String
    var unwritten: LargeBody?
    switch action.body {
    case .none: return nil
    case .text(let template):
      unwritten = LargeBody(value: try template.evaluate(in: contexts), isJSON: false)
      type = MediaType.text.description
    case .json(let data):
      unwritten = LargeBody(value: try data.evaluate(in: contexts), isJSON: true)
      type = MediaType.json.description
    case .file(let template):
      request.body = .file(path: try path(template, in: contexts))
      type = MediaType.octetStream.description
    case .report(let message, _):
      guard let report else { return nil }
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
    guard let unwritten else { return nil }
    if unwritten.value.isLarge { return unwritten }
    request.body = .bytes(try unwritten.bytes())
    return nil
  }

  private static func json(_ value: JSONValue) throws -> [UInt8] {
    if let problem = value.problemBeyondJSON {
      throw OperationFailure(code: "value-mismatch", message: "http: 'json' \(problem)")
    }
    return Array(value.text.utf8)
  }

  /// Returns the value of `Authorization`, and the credentials in it that come from a file rather than the pipeline and are otherwise not known to be secret.
  private func authorization(
    _ url: HTTPURL, in contexts: borrowing RunContexts
  ) throws -> (value: String?, credentials: [String]) {
    switch action.authorization {
    case nil:
      guard let user = url.user else { return (nil, []) }
      return (
        try HTTPAuthorization.basic(user: user, password: url.password ?? "").fieldValue(for: url.host), []
      )
    case .basic(let user, let password):
      let authorization = HTTPAuthorization.basic(
        user: try user.evaluate(in: contexts).injectedText, password: try password.evaluate(in: contexts).injectedText)
      return (try authorization.fieldValue(for: url.host), [])
    case .bearer(let token):
      let authorization = HTTPAuthorization.bearer(try token.evaluate(in: contexts).injectedText)
      return (try authorization.fieldValue(for: url.host), [])
    case .netrc(let path):
      let file = try NetrcFile(path: try self.path(path, in: contexts))
      guard let value = try HTTPAuthorization.netrc(file).fieldValue(for: url.host) else { return (nil, []) }
      let token = String(value.drop { $0 != " " }.dropFirst())
      return (value, [file.login(for: url.host)?.password, token].compactMap(\.self))
    }
  }

  private func options(in contexts: borrowing RunContexts) throws -> HTTPTransferOptions {
    var options = action.options
    if case .follow(let limit, _, let allowsInsecure) = options.redirects {
      // Whatever an expression has put into a field may be a secret, so it is not sent to another host.
      let computed = action.headers.filter { !$0.value.isLiteral }.compactMap { HTTPField.Name($0.name) }
      options.redirects = .follow(limit: limit, secretFields: Set(computed), allowsInsecure: allowsInsecure)
    }
    if let proxy = try action.proxy?.evaluate(in: contexts).injectedText {
      guard HTTPProxyText.canBeProxy(proxy) else {
        // The value is not shown, because it may contain a password.
        throw OperationFailure(code: "value-mismatch", message: "http: 'proxy' is \(HTTPProxyText.noProxy)")
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

  private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(directory)/\(path)" }
}

extension Template {
  /// Whether the expression at its beginning is the whole path, or everything before the first slash.
  fileprivate var leadsWithPath: Bool {
    guard segments.count > 1, case .literal(let next) = segments[1] else { return segments.count == 1 }
    return next.hasPrefix("/")
  }
}

extension HTTPField.Name {
  /// `Idempotency-Key`: a server handles requests with the same key only once.
  fileprivate static var idempotencyKey: Self { known("Idempotency-Key") }
  /// `Penstock-Signature`: see ``RunReport/signature(of:key:)``.
  fileprivate static var signature: Self { known("Penstock-Signature") }

  private static func known(_ name: String) -> Self { HTTPField.Name(name) ?? .contentType }
}
