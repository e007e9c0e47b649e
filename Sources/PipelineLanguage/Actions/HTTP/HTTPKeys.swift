import HTTPOperations

/// The keys of `http`.
enum HTTPKey: String, CaseIterable, Sendable {
  case method, url, query, headers, body, json, form, file, auth, expect
  case saveTo = "save_to"
  case checksum, redirects, limits, tls, proxy
  case version = "http_version"

  /// The body keys, of which at most one may be given.
  static let bodies: [HTTPKey] = [.body, .json, .form, .file]

  static let table = KeyTable<HTTPKey>(
    "'http'",
    [
      KeyRow("url", .template, "Where to. An expression behind its beginning is one component.", required: true),
      KeyRow("method", .text, "The method.", default: "GET; with a body, POST"),
      KeyRow(
        "query", .map(keyPattern: NamePattern.anything, .data),
        "Parameters added to the URL; a list gives a name several times, null leaves it out."),
      KeyRow("headers", .map(keyPattern: NamePattern.field, .template), "Fields of the request."),
      KeyRow("body", .template, "Text to send."),
      KeyRow("json", .data, "Data to send as JSON."),
      KeyRow(
        "form", .map(keyPattern: NamePattern.anything, .anyOf([.template, .keys(HTTPFormFileKey.table.rows)])),
        "A form to send; with a file in it, as `multipart/form-data`."),
      KeyRow("file", .template, "A file to send."),
      KeyRow("auth", .oneKey(HTTPAuthKey.table.rows), "Who asks."),
      KeyRow("expect", .keys(HTTPExpectKey.table.rows), "The responses that are welcome; others are failures."),
      KeyRow(
        "save_to", .anyOf([.template, .keys(HTTPSaveKey.table.rows)]),
        "A file for the body; an interrupted download goes on where it was."),
      KeyRow("checksum", .template, "What the saved file hashes to, such as `sha256:…`.", default: "anything"),
      KeyRow(
        "redirects", .anyOf([.int(minimum: 0), .keys(HTTPRedirectKey.table.rows)]),
        "How many redirects in a row are followed; with 0 they are responses like others.", default: "10"),
      KeyRow("limits", .keys(HTTPLimitKey.table.rows), "How long parts may take, and how much may come."),
      KeyRow("tls", .keys(HTTPTLSKey.table.rows), "Whom to trust, and who we are."),
      KeyRow("proxy", .template, "The URL of a proxy; empty for none.", default: "that of the environment"),
      KeyRow(
        "http_version", .choice(HTTPVersionPolicy.allCases.map(\.rawValue)), "What to speak.", default: "automatic"),
    ])
}

/// The keys of a form field that is a file.
enum HTTPFormFileKey: String, CaseIterable, Sendable {
  case file

  static let table = KeyTable<HTTPFormFileKey>(
    "a file in 'form'", [KeyRow("file", .template, "The path of the file.", required: true)])
}

/// The keys of `auth`, of which exactly one is given.
enum HTTPAuthKey: String, CaseIterable, Sendable {
  case basic, bearer, netrc

  static let table = KeyTable<HTTPAuthKey>(
    "'auth'",
    [
      KeyRow("basic", .keys(HTTPBasicKey.table.rows), "A user and a password."),
      KeyRow("bearer", .template, "A token."),
      KeyRow("netrc", .template, "A netrc file that nobody else can read, which knows the host."),
    ])
}

/// The keys of `auth.basic`.
enum HTTPBasicKey: String, CaseIterable, Sendable {
  case user, password

  static let table = KeyTable<HTTPBasicKey>(
    "'basic'",
    [
      KeyRow("user", .template, "The user.", required: true),
      KeyRow("password", .template, "The password.", default: "empty"),
    ])
}

/// The keys of `expect`.
enum HTTPExpectKey: String, CaseIterable, Sendable {
  case status, type

  static let table = KeyTable<HTTPExpectKey>(
    "'expect'",
    [
      KeyRow(
        "status", .anyOf([.text, .list(.text, minimum: 1)]), "Statuses such as `200`, or classes such as `2xx`.",
        default: "2xx"),
      KeyRow(
        "type", .anyOf([.text, .list(.text, minimum: 1)]), "Media types such as `application/json` or `text/*`.",
        default: "any"),
    ])
}

/// The keys of the long form of `save_to`.
enum HTTPSaveKey: String, CaseIterable, Sendable {
  case path
  case ifExists = "if_exists"

  static let table = KeyTable<HTTPSaveKey>(
    "'save_to'",
    [
      KeyRow("path", .template, "The path; it starts from this file's directory.", required: true),
      KeyRow(
        "if_exists", .choice(HTTPDownload.Collision.allCases.map(\.rawValue)),
        "What happens where the file exists: `number` makes a `-2`.", default: "replace"),
    ])
}

/// The keys of the long form of `redirects`.
enum HTTPRedirectKey: String, CaseIterable, Sendable {
  case limit, insecure

  static let table = KeyTable<HTTPRedirectKey>(
    "'redirects'",
    [
      KeyRow("limit", .int(minimum: 0), "How many in a row are followed.", default: "10"),
      KeyRow("insecure", .bool, "Whether one from `https` to `http` is followed.", default: "false"),
    ])
}

/// The keys of `limits`.
enum HTTPLimitKey: String, CaseIterable, Sendable {
  case connect
  case firstByte = "first_byte"
  case idle, body, head, total

  static let table = KeyTable<HTTPLimitKey>(
    "'limits'",
    [
      KeyRow("connect", .duration, "How long until there is a connection.", default: "30s"),
      KeyRow("first_byte", .duration, "How long until the response begins.", default: "60s"),
      KeyRow("idle", .duration, "How long nothing may come or go.", default: "60s"),
      KeyRow("body", .size, "How large the body may be.", default: "64MiB; saved to a file, none"),
      KeyRow("head", .size, "How large the head of the response may be.", default: "64KiB"),
      KeyRow(
        elsewhere: "total", "is no limit of a request: the operation's 'timeout' bounds each attempt as a whole",
        fix: "write 'timeout: …' beside 'http'"),
    ])
}

/// The keys of `tls`.
enum HTTPTLSKey: String, CaseIterable, Sendable {
  case verify, authorities, certificate, key, minimum

  static let table = KeyTable<HTTPTLSKey>(
    "'tls'",
    [
      KeyRow("verify", .bool, "Whether the server must prove who it is.", default: "true"),
      KeyRow("authorities", .text, "A file of certificates to trust in place of the system's."),
      KeyRow("certificate", .text, "A file with our own certificate."),
      KeyRow("key", .text, "A file with its private key.", default: "in the file of the certificate"),
      KeyRow(
        "minimum", .choice(HTTPTLSSettings.Version.allCases.map(\.rawValue)), "The oldest version.", default: "1.2"),
    ])
}
