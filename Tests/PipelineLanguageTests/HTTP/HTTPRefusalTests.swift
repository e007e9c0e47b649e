import Testing

@Suite("What http cannot do is reported when the file is loaded")
struct HTTPRefusalTests {
  private let plugins = FakeCatalog()

  private func found(_ http: String, _ rest: String = "") -> [String] {
    findings("operations:\n  - name: x\n    http: { url: \"http://h/\", \(http) }\n\(rest)")
  }

  @Test("a tunnel, a body that HEAD does not return, and fields that follow from the rest")
  func requests() {
    let tunnel = found("method: connect")
    #expect(tunnel.count == 1)
    #expect(tunnel.first?.contains("invalid-method") == true, "\(tunnel)")
    let head = found("method: HEAD, save_to: x")
    #expect(head.count == 1)
    #expect(head.first?.contains("body-without-meaning") == true, "\(head)")
    for name in ["Content-Length", "transfer-encoding", "CONNECTION"] {
      let field = found("body: x, headers: { \(name): \"1\" }")
      #expect(field.count == 1)
      #expect(field.first?.contains("misplaced-field") == true, "\(field)")
    }
  }

  @Test("a time limit for everything, which belongs to the operation")
  func total() {
    let limit = found("limits: { total: 5s }")
    #expect(limit.count == 1)
    #expect(limit.first?.contains("misplaced-key") == true, "\(limit)")
    #expect(limit.first?.contains("timeout") == true, "\(limit)")
  }

  @Test("a misspelt code of 'on', and a misspelt word of 'early'")
  func retries() {
    let code = found("method: GET", "    retry: { on: [timeout, { error: cannot-conect }] }\n")
    #expect(code.count == 1)
    #expect(code.first?.contains("cannot-conect") == true, "\(code)")
    #expect(found("method: GET", "    retry: { on: [{ error: [cannot-connect, http-type, my-own] }] }\n").isEmpty)
    let word = found("method: GET", "    retry: { early: reachabel }\n")
    #expect(word.count == 1)
    #expect(word.first?.contains("did you mean 'reachable'?") == true, "\(word)")
  }

  @Test("a feed whose secrets are not given to it")
  func feed() {
    func found(_ head: String, _ with: String) -> [String] {
      plugins.findings(
        """
        \(head)
        controllers: { uses: http.events, with: { url: "http://h/", \(with) } }
        operations: [{ name: x, value: 1 }]
        """)
    }
    let given = "secrets: { t: { env: T }, u: { env: U } }\nplugins: { http: { secrets: [t] } }"
    #expect(found(given, "bearer: t").isEmpty)
    #expect(found(given, "secret_headers: { X-Key: t }").isEmpty)
    for wrong in ["bearer: u", "bearer: nowhere", "secret_headers: { X-Key: u }"] {
      let problems = found(given, wrong)
      #expect(problems.count == 1)
      #expect(problems.first?.contains("is not given to 'http'") == true, "\(problems)")
    }
    #expect(found("secrets: { t: { env: T } }", "bearer: t").contains { $0.contains("is not given to 'http'") })
  }
}
