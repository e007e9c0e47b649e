import Expressions
import HTTPOperations

/// The request of an operation with `http`, and the expected response.
public struct HTTPAction: Sendable {
  /// The body of the request.
  public enum Body: Sendable {
    case none
    /// Text, encoded as UTF-8.
    case text(Template)
    /// Data, encoded as JSON.
    case json(DataTemplate)
    /// A form, in file order.
    case form([(name: String, value: FormValue)])
    /// The contents of a file.
    case file(Template)
    /// A report on how the run ended, as JSON: see `RunReport`. `message` is its text for people.
    case report(message: Template?, results: Bool)
  }

  /// The value of a form field.
  public enum FormValue: Sendable {
    case text(Template)
    case file(Template)
  }

  /// The credentials of the request.
  public enum Authorization: Sendable {
    case basic(user: Template, password: Template)
    case bearer(Template)
    case netrc(Template)
  }

  /// The method; nil means `GET`, or `POST` with a body.
  public var method: String?
  /// The URL.
  public var url = Template(literal: "")
  /// Parameters added to the URL's query; a list repeats the name.
  public var query: [(name: String, value: DataTemplate)] = []
  /// Header fields.
  public var headers: [(name: String, value: Template)] = []
  /// The body of the request.
  public var body = Body.none
  /// The credentials.
  public var authorization: Authorization?
  /// The accepted statuses; nil means 2xx.
  public var statuses: (codes: Set<Int>, text: String)?
  /// The accepted media types; empty means any.
  public var types: [String] = []
  /// The key with which the body is signed.
  public var signature: Template?
  /// The file in which the response body is saved.
  public var saveTo: Template?
  /// What to do if that file exists.
  public var collision = HTTPDownload.Collision.replace
  /// The expected checksum of the saved file.
  public var checksum: Template?
  /// The transfer options.
  public var options = HTTPTransferOptions()
  /// The proxy; nil means that of the environment, empty text means none.
  public var proxy: Template?
  /// Whether `retry` is given explicitly, which then applies to every method.
  public var retriesAnything = false
  /// The words of `retry.early` that apply to requests.
  public var early = HTTPEarlyRetry.none

  /// The method that is sent.
  public var effectiveMethod: String {
    if let method { return method }
    if case .none = body { return "GET" }
    return "POST"
  }

  /// Whether the request reports how the run ended.
  public var isReport: Bool {
    if case .report = body { true } else { false }
  }

  /// The parts that may contain expressions, in the order of the key table, each with its name.
  var templates: [(name: String, template: DataTemplate)] {
    var all: [(String, DataTemplate)] = [("url", .template(url))]
    all += query.map { ("query \($0.name)", $0.value) }
    all += headers.map { ("header \($0.name)", .template($0.value)) }
    switch body {
    case .none: break
    case .text(let template): all.append(("body", .template(template)))
    case .json(let data): all.append(("json", data))
    case .form(let fields):
      all += fields.map { field in
        switch field.value {
        case .text(let template), .file(let template): ("form \(field.name)", .template(template))
        }
      }
    case .file(let template): all.append(("file", .template(template)))
    case .report(let message, _): if let message { all.append(("message", .template(message))) }
    }
    switch authorization {
    case .basic(let user, let password): all += [("auth", .template(user)), ("auth", .template(password))]
    case .bearer(let template), .netrc(let template): all.append(("auth", .template(template)))
    case nil: break
    }
    let others = [("sign", signature), ("save_to", saveTo), ("checksum", checksum), ("proxy", proxy)]
    all += others.compactMap { name, template in template.map { (name, .template($0)) } }
    return all
  }
}

extension HTTPAction {
  /// The URL for display, as written in the file: without secrets in its query or user part.
  var shownURL: String { url.isLiteral ? HTTPURL.shown(url.text) : url.text }
}
