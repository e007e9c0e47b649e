import HTTPOperations

extension DiagnosticTable {
  static let http = [
    DiagnosticRow(
      HTTPEncodingError.Code.invalidURL, "A text is not a URL.",
      """
      operations:
        - name: fetch
          http: { url: "http://example.org:many/" }
      """,
      fix: "Correct the URL. It needs a scheme and a host: `https://example.org/`."),
    DiagnosticRow(
      HTTPEncodingError.Code.unsupportedScheme, "The scheme of a URL is neither `http` nor `https`.",
      """
      operations:
        - name: fetch
          http: { url: "ftp://example.org/" }
      """,
      fix: "Use HTTP, or a program such as `curl` with `run`."),
    DiagnosticRow(
      HTTPEncodingError.Code.invalidMethod, "The method is not one that a request can have.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", method: GET IT }
      """,
      fix: "Use one word, such as `GET`, `POST` or `PUT`; not `CONNECT`."),
    DiagnosticRow(
      HTTPEncodingError.Code.invalidFieldName, "The name of a header has characters that such names cannot have.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", headers: { My Field: "1" } }
      """,
      fix: "Use letters, digits and `-`."),
    DiagnosticRow(
      HTTPEncodingError.Code.invalidFieldValue,
      "The value of a header has a line break or another character that would end it.",
      #"""
      operations:
        - name: fetch
          http: { url: "https://example.org/", headers: { Note: "a\nb" } }
      """#,
      fix: "Write the value on one line."),
    DiagnosticRow(
      DiagnosticCode.misplacedField, "A header is set that the engine sets itself.",
      """
      operations:
        - name: send
          http: { url: "https://example.org/", method: POST, body: text, headers: { Content-Length: "4" } }
      """,
      fix: "Remove it."),
    DiagnosticRow(
      DiagnosticCode.severalBodies, "A request has more than one body.",
      """
      operations:
        - name: send
          http: { url: "https://example.org/", method: POST, body: text, json: { a: 1 } }
      """,
      fix: "Keep one of `body`, `json`, `form` and `file`."),
    DiagnosticRow(
      DiagnosticCode.bodyWithoutMeaning,
      "A request has a body although its method sends none, or saves a response body although it gets none.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", method: GET, body: text }
      """,
      fix: "Remove the body, or use a method such as `POST`."),
    DiagnosticRow(
      DiagnosticCode.invalidStatus, "A string is not an HTTP status.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", expect: { status: ok } }
      """,
      fix: "Write a number such as `200` or a class such as `2xx`, or a list of them."),
    DiagnosticRow(
      DiagnosticCode.invalidMediaType, "A string is not a media type.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", expect: { type: json } }
      """,
      fix: "Write the type and subtype: `application/json`, `text/*`."),
    DiagnosticRow(
      DiagnosticCode.invalidChecksum, "A string is not a checksum.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", save_to: page, checksum: "sha256:12" }
      """,
      fix: "Write the algorithm, a colon and all digits: `sha256:` and 64 hexadecimal digits."),
    DiagnosticRow(
      DiagnosticCode.invalidProxy, "A string is not the URL of a proxy.",
      """
      operations:
        - name: fetch
          http: { url: "https://example.org/", proxy: "ftp://proxy:21" }
      """,
      fix: "Write it like `http://proxy:3128`."),
  ]
}
