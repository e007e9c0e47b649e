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
      KeyRow("url", .template, "The URL. Each expression after its beginning is one component.", required: true),
      KeyRow("method", .text, "The method of the request.", default: "`GET`; with a body, `POST`"),
      KeyRow(
        "query", .map(keyPattern: NamePattern.anything, .data),
        "Query parameters to add to the URL; a list repeats its name, and null omits it."),
      KeyRow("headers", .map(keyPattern: NamePattern.field, .template), "Headers of the request."),
      KeyRow("body", .template, "The text to send."),
      KeyRow("json", .data, "The data to send as JSON."),
      KeyRow(
        "form", .map(keyPattern: NamePattern.anything, .anyOf([.template, .keys(HTTPFormFileKey.table.rows)])),
        "The form to send; with a file in it, as `multipart/form-data`."),
      KeyRow("file", .template, "The path of a file to send."),
      KeyRow("auth", .oneKey(HTTPAuthKey.table.rows), "The credentials of the request."),
      KeyRow("expect", .keys(HTTPExpectKey.table.rows), "The responses that are accepted; all others are failures."),
      KeyRow(
        "save_to", .anyOf([.template, .keys(HTTPSaveKey.table.rows)]),
        "The file in which the body is saved; an interrupted download is continued."),
      KeyRow("checksum", .template, "The hash that the saved file must have, such as `sha256:…`.", default: "any"),
      KeyRow(
        "redirects", .anyOf([.int(minimum: 0), .keys(HTTPRedirectKey.table.rows)]),
        "The number of successive redirects that are followed; with 0, a redirect is an ordinary response.",
        default: "10"),
      KeyRow(
        "limits", .keys(HTTPLimitKey.table.rows),
        "Limits for the phases of the request and for the size of the response."),
      KeyRow("tls", .keys(HTTPTLSKey.table.rows), "Which servers are trusted, and the client's own certificate."),
      KeyRow("proxy", .template, "The URL of a proxy; an empty text means no proxy.", default: "from the environment"),
      KeyRow(
        "http_version", .choice(HTTPVersionPolicy.allCases.map(\.rawValue)), "The version of HTTP.",
        default: "automatic"),
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
      KeyRow("basic", .keys(HTTPBasicKey.table.rows), "A user name and a password."),
      KeyRow("bearer", .template, "A bearer token."),
      KeyRow("netrc", .template, "A netrc file with an entry for the host, which only its owner can read."),
    ])
}

/// The keys of `auth.basic`.
enum HTTPBasicKey: String, CaseIterable, Sendable {
  case user, password

  static let table = KeyTable<HTTPBasicKey>(
    "'basic'",
    [
      KeyRow("user", .template, "The user name.", required: true),
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
        "status", .anyOf([.text, .list(.text, minimum: 1)]),
        "Accepted statuses, such as `200`, or classes, such as `2xx`.",
        default: "2xx"),
      KeyRow(
        "type", .anyOf([.text, .list(.text, minimum: 1)]),
        "Accepted media types, such as `application/json` or `text/*`.",
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
      KeyRow("path", .template, "The path, relative to the directory of the pipeline file.", required: true),
      KeyRow(
        "if_exists", .choice(HTTPDownload.Collision.allCases.map(\.rawValue)),
        "What happens if the file exists; `number` saves to a new name that ends with `-2`.", default: "replace"),
    ])
}

/// The keys of the long form of `redirects`.
enum HTTPRedirectKey: String, CaseIterable, Sendable {
  case limit, insecure

  static let table = KeyTable<HTTPRedirectKey>(
    "'redirects'",
    [
      KeyRow("limit", .int(minimum: 0), "The number of successive redirects that are followed.", default: "10"),
      KeyRow("insecure", .bool, "Whether a redirect from `https` to `http` is followed.", default: "false"),
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
      KeyRow("connect", .duration, "The longest time until the connection is established.", default: "30s"),
      KeyRow("first_byte", .duration, "The longest time until the response begins.", default: "60s"),
      KeyRow("idle", .duration, "The longest time without any data in either direction.", default: "60s"),
      KeyRow("body", .size, "The largest size of the body.", default: "`64MiB`; with `save_to`, none"),
      KeyRow("head", .size, "The largest size of the head of the response.", default: "64KiB"),
      KeyRow(
        elsewhere: "total", "is not a limit of a request: the operation's 'timeout' bounds each attempt as a whole",
        fix: "write 'timeout: …' beside 'http'"),
    ])
}

/// The keys of `tls`.
enum HTTPTLSKey: String, CaseIterable, Sendable {
  case verify, authorities, certificate, key, minimum

  static let table = KeyTable<HTTPTLSKey>(
    "'tls'",
    [
      KeyRow("verify", .bool, "Whether the certificate of the server is verified.", default: "true"),
      KeyRow("authorities", .text, "A file of certificates to trust instead of those of the system."),
      KeyRow("certificate", .text, "A file with the client's own certificate."),
      KeyRow("key", .text, "A file with the private key of that certificate.", default: "the file under `certificate`"),
      KeyRow(
        "minimum", .choice(HTTPTLSSettings.Version.allCases.map(\.rawValue)),
        "The oldest version of TLS that is accepted.", default: "1.2"),
    ])
}
