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
      KeyRow("url", .template, "The URL. An expression after its beginning is one component.", required: true),
      KeyRow("method", .text, "The method.", default: "GET; with a body, POST"),
      KeyRow(
        "query", .map(keyPattern: NamePattern.anything, .data),
        "Parameters added to the URL; a list repeats a name, and null omits it."),
      KeyRow("headers", .map(keyPattern: NamePattern.field, .template), "Header fields of the request."),
      KeyRow("body", .template, "Text to send."),
      KeyRow("json", .data, "Data to send as JSON."),
      KeyRow(
        "form", .map(keyPattern: NamePattern.anything, .anyOf([.template, .keys(HTTPFormFileKey.table.rows)])),
        "A form to send; if it contains a file, as `multipart/form-data`."),
      KeyRow("file", .template, "A file to send."),
      KeyRow("auth", .oneKey(HTTPAuthKey.table.rows), "The credentials."),
      KeyRow("expect", .keys(HTTPExpectKey.table.rows), "The accepted responses; all others are failures."),
      KeyRow(
        "save_to", .anyOf([.template, .keys(HTTPSaveKey.table.rows)]),
        "A file for the body; an interrupted download is resumed."),
      KeyRow("checksum", .template, "The checksum of the saved file, such as `sha256:…`.", default: "anything"),
      KeyRow(
        "redirects", .anyOf([.int(minimum: 0), .keys(HTTPRedirectKey.table.rows)]),
        "How many redirects in a row are followed; with 0, a redirect is a response like any other.", default: "10"),
      KeyRow("limits", .keys(HTTPLimitKey.table.rows), "Limits on times and sizes."),
      KeyRow("tls", .keys(HTTPTLSKey.table.rows), "The trusted authorities and the client's certificate."),
      KeyRow("proxy", .template, "The URL of a proxy; empty for none.", default: "from the environment"),
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
      KeyRow("basic", .keys(HTTPBasicKey.table.rows), "A user and a password."),
      KeyRow("bearer", .template, "A token."),
      KeyRow("netrc", .template, "A netrc file with an entry for the host, which must not be readable by others."),
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
        "What happens if the file exists: `number` appends `-2`.", default: "replace"),
    ])
}

/// The keys of the long form of `redirects`.
enum HTTPRedirectKey: String, CaseIterable, Sendable {
  case limit, insecure

  static let table = KeyTable<HTTPRedirectKey>(
    "'redirects'",
    [
      KeyRow("limit", .int(minimum: 0), "How many redirects in a row are followed.", default: "10"),
      KeyRow("insecure", .bool, "Whether redirects from `https` to `http` are followed.", default: "false"),
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
      KeyRow("connect", .duration, "The time limit for connecting.", default: "30s"),
      KeyRow("first_byte", .duration, "The time limit for the beginning of the response.", default: "60s"),
      KeyRow("idle", .duration, "The time limit without any data sent or received.", default: "60s"),
      KeyRow("body", .size, "The maximum size of the body.", default: "64MiB; saved to a file, none"),
      KeyRow("head", .size, "The maximum size of the head of the response.", default: "64KiB"),
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
      KeyRow("verify", .bool, "Whether the server's certificate is verified.", default: "true"),
      KeyRow("authorities", .text, "A file of certificates to trust in place of the system's."),
      KeyRow("certificate", .text, "A file with the client's certificate."),
      KeyRow("key", .text, "A file with its private key.", default: "in the file of the certificate"),
      KeyRow(
        "minimum", .choice(HTTPTLSSettings.Version.allCases.map(\.rawValue)), "The minimum version of TLS.",
        default: "1.2"),
    ])
}
