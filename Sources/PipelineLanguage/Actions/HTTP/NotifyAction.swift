import Expressions
import HTTPOperations
import Values

/// The keys of the long form of `notify`.
enum NotifyKey: String, CaseIterable, Sendable {
  case url, message, results, sign, headers, auth, limits, tls, proxy

  static let table = KeyTable<NotifyKey>(
    "'notify'",
    [
      KeyRow("url", .template, "The URL. Each expression after its beginning is one component.", required: true),
      KeyRow(
        "message", .template, "The text for people, sent as the member `text`, which chat services show.",
        default: "the pipeline, how the run ended, and why"),
      KeyRow(
        "results", .bool, "Whether the results of operations are sent; results over 64 KiB never are.",
        default: "true"),
      KeyRow(
        "sign", .template, "The key for the header `Penstock-Signature`, the HMAC-SHA256 of the body.",
        default: "unsigned"),
      KeyRow("headers", .map(keyPattern: NamePattern.field, .template), "Additional headers of the request."),
      KeyRow("auth", .oneKey(HTTPAuthKey.table.rows), "The credentials of the request."),
      KeyRow(
        "limits", .keys(HTTPLimitKey.table.rows),
        "Limits for the phases of the request and for the size of the response."),
      KeyRow("tls", .keys(HTTPTLSKey.table.rows), "Which servers are trusted, and the client's own certificate."),
      KeyRow("proxy", .template, "The URL of a proxy; an empty text means no proxy.", default: "from the environment"),
    ])
}

/// The action `notify`: a request whose body reports how the run ended. Its definition is an ``HTTPAction`` with a report.
enum NotifyAction: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow(
        "notify", .anyOf([.template, .keys(NotifyKey.table.rows)]),
        "Posts the outcome of the run to a URL, as JSON; only for handlers under `after`.")
    ]
  }

  static var tables: [KeySection] { [NotifyKey.table.section()] }

  static var takes: Set<OperationKey> { [.retry] }

  static var share: DefaultsShare { .work }
  static var takesRequirementAsData: Bool { false }
  static var isOnlyForHandlers: Bool { true }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readNotify(node, into: draft)
  }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {
    reader.finishHTTP(of: draft, node)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? .json
  }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }
}

extension DocumentReader {
  /// Reads `notify`.
  fileprivate func readNotify(_ node: YAMLNode, into draft: OperationDraft) {
    guard draft.event != nil else {
      return error(
        .misplacedKey, "'notify' reports how a run ended, so it belongs under 'after'", at: node.range,
        fix: "move \(draft.title) there, or send a request of your own with 'http'")
    }
    var action = HTTPAction()
    var message: Template?
    var results = true
    if node.entries == nil {
      readURL(node, into: &action, draft)
    } else {
      readKeys(of: node, NotifyKey.table) { key, _, entry in
        let value = entry.value
        switch key {
        case .url: readURL(value, into: &action, draft)
        case .message: message = template(value, "'message'", .http, into: &draft.sites)
        case .results: if let sends = bool(value, "'results'") { results = sends }
        case .sign: action.signature = template(value, "'sign'", .http, into: &draft.sites)
        case .headers: action.headers = headers(value, into: draft)
        case .auth: action.authorization = authorization(value, into: draft)
        case .limits: readLimits(value, into: &action)
        case .tls: readTLS(value, into: &action)
        case .proxy: action.proxy = proxy(value, into: draft)
        }
      }
      if node["url"] == nil {
        error(.missingKey, "'notify' needs a 'url'", at: node.entries?.first?.key.range ?? node.range)
      }
    }
    action.body = .report(message: message, results: results)
    draft.definition.result = ValueType.none
    draft.http = action
  }
}
