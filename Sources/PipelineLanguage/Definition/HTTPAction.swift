import Expressions
import HTTPOperations

/// What an operation with `http` sends, and what it expects.
public struct HTTPAction: Sendable {
  /// What the request brings.
  public enum Body: Sendable {
    case none
    /// Text, as UTF-8.
    case text(Template)
    /// Data, as JSON.
    case json(DataTemplate)
    /// A form, in the order of the file.
    case form([(name: String, value: FormValue)])
    /// The content of a file.
    case file(Template)
    /// How the run has ended, as JSON: see ``RunReport``. The text is what it says to people.
    case report(message: Template?, results: Bool)
  }

  /// What one field of a form brings.
  public enum FormValue: Sendable {
    case text(Template)
    case file(Template)
  }

  /// How the request says who asks.
  public enum Authorization: Sendable {
    case basic(user: Template, password: Template)
    case bearer(Template)
    case netrc(Template)
  }

  /// The method; nil is `GET`, and `POST` with a body.
  public var method: String?
  /// The URL.
  public var url = Template(literal: "")
  /// What is added to the URL's query; a list gives the name several times.
  public var query: [(name: String, value: DataTemplate)] = []
  /// Fields of the head.
  public var headers: [(name: String, value: Template)] = []
  /// What the request brings.
  public var body = Body.none
  /// Who asks.
  public var authorization: Authorization?
  /// The statuses that are welcome; nil is 2xx.
  public var statuses: (codes: Set<Int>, text: String)?
  /// The media types that are welcome; empty is any.
  public var types: [String] = []
  /// The key that the body is signed with.
  public var signature: Template?
  /// Where the body is saved.
  public var saveTo: Template?
  /// What happens where that file exists.
  public var collision = HTTPDownload.Collision.replace
  /// What the saved file must hash to.
  public var checksum: Template?
  /// How it is transferred.
  public var options = HTTPTransferOptions()
  /// The proxy; nil is that of the environment. The empty text is none.
  public var proxy: Template?
  /// Whether `retry` is written, which then holds for every method.
  public var retriesAnything = false
  /// The words of `retry.early` that go with requests.
  public var early = HTTPEarlyRetry.none

  /// The method that is sent.
  public var effectiveMethod: String {
    if let method { return method }
    if case .none = body { return "GET" }
    return "POST"
  }

  /// Whether it tells how the run has ended.
  public var isReport: Bool {
    if case .report = body { true } else { false }
  }

  /// Everything with an expression in it, in the order of the table of keys, each with what it is called.
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
  /// The URL for people, as the file has it: without what a query or a user may hide.
  var shownURL: String { url.isLiteral ? HTTPURL.shown(url.text) : url.text }
}
