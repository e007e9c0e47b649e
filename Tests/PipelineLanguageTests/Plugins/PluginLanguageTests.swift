import PluginHost
import Testing
import Values

@testable import PipelineLanguage

@Suite("Plugins in pipeline files")
struct PluginLanguageTests {
  private static func catalog() throws -> FakeCatalog {
    FakeCatalog([
      try FakePlugin(
        "calendar",
        offers: [
          [
            "kind": "specification", "id": "calendar.time-window",
            "settings": [
              ["name": "from", "type": "string", "summary": "x", "required": true],
              ["name": "days", "type": "string", "summary": "x", "values": ["all", "mon-fri"]],
            ],
          ],
          ["kind": "specification", "id": "calendar.holidays"],
        ]),
      try FakePlugin(
        "cron",
        offers: [
          [
            "kind": "controller", "id": "cron",
            "settings": [["name": "schedule", "type": "string", "summary": "x", "required": true]],
          ]
        ]),
      try FakePlugin(
        "text",
        offers: [
          [
            "kind": "operation", "id": "text.length", "requirement": "string", "result": "int",
            "settings": [
              ["name": "unit", "type": "string", "summary": "x", "default": "bytes", "values": ["bytes", "words"]],
              ["name": "limit", "type": "int", "summary": "x"], ["name": "every", "type": "duration", "summary": "x"],
            ],
          ],
          ["kind": "operation", "id": "text.now", "result": "none"],
          ["kind": "operation", "id": "text.join", "requirement": "{first: string, second?: int}", "result": "json"],
        ]),
      try FakePlugin("plain", offers: [["kind": "specification", "id": "plain"]]),
    ])
  }

  private static let work = "operations: [{ name: x, run: ls }]\n"

  @Test("plugins in use are found with their settings, and no others are loaded")
  func whole() throws {
    let catalog = try Self.catalog()
    let pipeline = try catalog.pipeline(
      """
      params: { start: { default: "08:00" } }
      plugins:
        calendar: ./calendar.so
        text: { path: /elsewhere/text.so, isolation: host, limits: { memory: 64MiB, descriptors: 32 }, env: [A, B] }
      specifications:
        office-hours: { uses: calendar.time-window, with: { from: "${{ params.start }}" }, hold: 5s }
        bare: { uses: plain }
      automatic: office-hours && bare
      controllers: { uses: cron, with: { schedule: "0 * * * *" } }
      operations:
        - name: word
          value: hello
        - name: count
          uses: text.length
          with: { unit: words, limit: 3 }
          inject: word
        - name: double
          value: ${{ results.count }}
      """)
    #expect(pipeline.plugins["calendar"] == PluginReference(path: "/files/calendar.so"))
    #expect(
      pipeline.plugins["text"]
        == PluginReference(
          path: "/elsewhere/text.so", isolation: .host, limits: .init(memory: 64 << 20, descriptors: 32),
          environment: ["A", "B"]))
    #expect(pipeline.specifications[0].formula.text == "calendar.time-window")
    #expect(pipeline.specifications[0].hold == .seconds(5))
    #expect(pipeline.specifications[1].formula.root.isPlugin)
    #expect(pipeline.controllers.map(\.use.offer) == ["cron"])
    guard case .uses(let use) = pipeline.operations[1].action else { return #expect(Bool(false)) }
    #expect(use.offer == "text.length")
    #expect(use.settings.map(\.name) == ["unit", "limit"])
    #expect(pipeline.operations[1].result == .int)
    #expect(catalog.asked.withLock { $0.map(\.id) } == ["calendar", "plain", "cron", "text"])
  }

  @Test("a file without plugins loads none")
  func none() throws {
    let catalog = try Self.catalog()
    _ = try catalog.pipeline(Self.work)
    #expect(catalog.asked.withLock { $0.isEmpty })
  }

  @Test("unknown names are errors with a suggestion, all at once")
  func names() throws {
    let found = try Self.catalog().findings(
      """
      specifications:
        a: { uses: calendar.time-windw }
        b: { uses: conected }
        c: { uses: calender.time-window }
      automatic: a && b && c && calendar.holidays
      controllers: [{ uses: cron.d }]
      operations:
        - name: x
          uses: text.lenght
        - name: y
          uses: Text
        - name: z
          uses: unheard-of
      """)
    #expect(
      found == [
        "2:14 no-such-offer the plugin 'calendar' offers no specification 'calendar.time-windw' (did you mean 'calendar.time-window'?)",
        "3:14 unknown-specification there is no specification 'conected', and no plugin of that name (did you mean 'connected'?)",
        "4:14 plugin-not-found there is no plugin 'calender': looked in '/plugins'",
        "5:27 unknown-specification 'calendar.holidays' is not a specification of this pipeline: a plugin's specification needs a name here (add it: 'specifications: {a-name: {uses: calendar.holidays}}', and use the name)",
        "6:23 no-such-offer the plugin 'cron' offers no controller 'cron.d' (did you mean 'cron'?)",
        "9:11 no-such-offer the plugin 'text' offers no operation 'text.lenght' (did you mean 'text.length'?)",
        "11:11 invalid-name 'Text' cannot be what a plugin offers: that is the plugin's id, or its id, a dot and a name, in lowercase letters, digits and '-' (write it like 'cron' or 'calendar.time-window')",
        "13:11 plugin-not-found there is no plugin 'unheard-of': looked in '/plugins'",
      ])
  }

  @Test("an offer of the wrong kind is reported with its proper place")
  func kinds() throws {
    let found = try Self.catalog().findings(
      """
      specifications: { a: { uses: cron, with: { schedule: x } } }
      automatic: a
      controllers: [{ uses: text.now }]
      operations: [{ name: x, uses: cron }, { name: y, uses: plain }]
      """)
    #expect(
      found == [
        "1:30 wrong-kind 'cron' is a controller; it belongs under 'controllers'",
        "3:23 wrong-kind 'text.now' is an operation; it belongs under 'uses' of an operation",
        "4:31 wrong-kind 'cron' is a controller; it belongs under 'controllers'",
        "4:56 wrong-kind 'plain' is a specification; it belongs under 'specifications'",
      ])
  }

  @Test("settings are checked at their places")
  func settings() throws {
    let found = try Self.catalog().findings(
      """
      specifications: { a: { uses: calendar.time-window, with: { days: mon-fry, too: 1 } } }
      automatic: a
      params: { n: { type: int, default: 1 }, s: { default: a } }
      controllers: [{ uses: cron, with: { shedule: x } }]
      operations:
        - name: x
          uses: text.length
          inject: ${{ params.s }}
          with:
            unit: ${{ params.n }}
            limit: "3"
            every: 5
        - name: y
          uses: text.length
          inject: ${{ params.s }}
          with: { limit: "${{ params.n }}", every: "${{ params.s }}", unit: "a ${{ params.n }}" }
        - name: z
          uses: text.now
          with: [1]
      """)
    #expect(
      found == [
        "1:30 missing-setting 'calendar.time-window' requires the setting 'from', a string (add 'from: …' under 'with:' (x))",
        "1:66 invalid-setting the setting 'days' of 'calendar.time-window' cannot be 'mon-fry' (did you mean 'mon-fri'?)",
        "1:75 unknown-setting 'calendar.time-window' has no setting 'too' (its settings are from, days)",
        "4:37 unknown-setting 'cron' has no setting 'shedule' (did you mean 'schedule'?)",
        "10:13 invalid-setting the setting 'unit' of 'text.length' has the wrong type: expected string, found int (give it a string)",
        #"11:14 invalid-setting the setting 'limit' of 'text.length' has the wrong type: expected int, found string "3" (write a number without quotes)"#,
        "12:14 invalid-setting the setting 'every' of 'text.length' has the wrong type: expected duration, found int 5 (write it like 90s or 1h30m)",
        "19:11 wrong-form 'with' needs a mapping of settings, found a list",
      ])
  }

  @Test("injected values must match the plugin's requirement, and its result must match other requirements")
  func types() throws {
    let found = try Self.catalog().findings(
      """
      operations:
        - { name: number, value: 5 }
        - { name: a, uses: text.length, inject: number }
        - { name: b, uses: text.length }
        - { name: c, uses: text.now, inject: number }
        - { name: d, uses: text.join, inject: { first: "${{ results.number }}" } }
        - { name: e, uses: text.length, inject: "${{ 'x' }}", result: string }
        - { name: f, value: "${{ results.e.length }}" }
        - { name: g, value: "${{ results.c }}" }
        - { name: h, uses: text.length, inject: "${{ 'x' }}" }
        - { name: i, value: "${{ results.h.tag }}" }
        - { name: j, run: ls, with: { a: 1 } }
        - { name: k, uses: text.now, env: { A: b } }
      """)
    #expect(
      found == [
        "3:43 type-mismatch 'text.length' requires string, but 'number' gives int",
        "4:13 nothing-injected 'text.length' requires string, but nothing is injected (add 'inject')",
        "5:40 nothing-required 'text.now' takes no requirement, so nothing can be injected",
        "6:41 type-mismatch 'text.join' requires {first: string, second?: int}, but 'inject' gives {first: int}: .first: expected string, found int",
        "7:65 type-mismatch operation 'e' declares string, but 'text.length' gives int",
        "8:38 no-members 'results.e' is a string and has no member 'length' (use 'length(results.e)')",
        "9:28 no-result 'c' has no result: what it uses gives none (to run after it, use 'needs: c')",
        "11:38 no-members 'results.h' is an int and has no member 'tag'",
        "12:25 misplaced-key 'with' has no effect on 'run'",
        "13:32 misplaced-key 'env' has no effect on 'uses'",
      ])
  }

  @Test("entries of plugins are checked")
  func entries() throws {
    let hash = String(repeating: "a", count: 64)
    let found = try Self.catalog().findings(
      """
      secrets: { token: { env: T } }
      plugins:
        Big: x.so
        text: { pth: x, sha256: \(hash.uppercased()), isolation: none, limits: { memory: much, descriptors: 1 }, secrets: [tokn] }
        cron: { sha256: "sha256:\(hash)" }
        calendar: { sha256: abc }
        plain: ""
      operations: [{ name: x, uses: text.now }]
      """)
    #expect(
      found == [
        "3:3 invalid-name 'Big' cannot be a plugin's id: it may contain lowercase letters, digits and '-', at most 64 characters, and must begin with a letter",
        "4:11 unknown-key a plugin has no key 'pth' (did you mean 'path'?)",
        "4:27 invalid-hash 'sha256' needs 64 hexadecimal digits, found '\(hash.uppercased())' (write it in small letters)",
        "4:104 unknown-word 'isolation' is one of host, process, found 'none'",
        "4:128 invalid-size 'memory' needs a size with its unit, found 'much' (write it like '64MiB')",
        "4:147 out-of-range 'descriptors' must be at least 16, found 1",
        "4:162 unknown-secret the pipeline declares no secret 'tokn' (did you mean 'token'?)",
        "5:19 invalid-hash 'sha256' needs 64 hexadecimal digits, found 'sha256:\(hash.prefix(63))' (leave out 'sha256:')",
        "6:23 invalid-hash 'sha256' needs 64 hexadecimal digits, found 'abc' (`penstock plugins inspect FILE` prints it)",
        "7:10 wrong-form the plugin 'plain' needs a path, found ''",
      ])
  }

  @Test("an unreadable setting or value is one error, and is not also reported as missing")
  func unreadSettings() throws {
    let found = try Self.catalog().findings(
      """
      specifications: { a: { uses: calendar.time-window, with: { from: "${{ 1 + }}" } } }
      automatic: a
      controllers: [{ uses: cron, with: [1] }]
      operations:
        - { name: x, uses: text.length, inject: "${{ 1 + }}", with: { limit: ["${{ 1 + }}"] } }
        - { name: y, uses: text.join, inject: { first: "${{ 1 + }}" } }
      """)
    #expect(
      found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "1:74 expression-syntax", "3:35 wrong-form", "5:51 expression-syntax", "5:81 expression-syntax",
        "6:58 expression-syntax",
      ], "\(found)")
  }

  @Test("a number injected as text is reported with the correct notation")
  func literalInjection() throws {
    let found = try Self.catalog().findings(
      """
      operations:
        - { name: x, uses: text.join, inject: { first: a, second: 1 } }
        - { name: z, run: ls, requires: "{on: bool}", inject: { on: true } }
      """)
    #expect(
      found.map { $0.split(separator: "(").last ?? "" } == [
        "without '${{ }}' it is text; write 'second: ${{ 1 }}')",
        "without '${{ }}' it is text; write 'on: ${{ true }}')",
      ], "\(found)")
  }

  @Test("a suggestion is given once, even if the file names the plugin")
  func oneSuggestion() throws {
    let found = try Self.catalog().findings(
      "plugins: { cron: cron.so }\noperations: [{ name: x, uses: corn }, { name: y, uses: cron }]")
    #expect(found.first == "2:31 plugin-not-found there is no plugin 'corn': looked in '/plugins'")
  }

  @Test("an unused plugin yields a warning")
  func unused() throws {
    let found = try Self.catalog().findings("plugins: { text: text.so }\n" + Self.work)
    #expect(
      found == [
        "1:12 warning unused-plugin nothing uses the plugin 'text'"
      ])
  }

  @Test("the reason that a plugin cannot be used is reported once, where it was named")
  func refusals() {
    let hash = String(repeating: "0", count: 64)
    let catalog = FakeCatalog(failures: [
      "a": PluginError(.hashMismatch, "it is another one"), "b": PluginError(.writableByOthers, "others can write it"),
      "c": PluginError(.versionMismatch, "it is of 2.0"),
    ])
    #expect(
      catalog.findings(
        """
        plugins:
          a: { path: a.so, sha256: \(hash) }
          b: b.so
        operations:
          - { name: x, uses: a.one }
          - { name: y, uses: a.two }
          - { name: z, uses: b }
          - { name: w, uses: c }
          - { name: v, uses: c.one, with: { any: thing } }
        """) == [
          "2:28 hash-mismatch it is another one", "3:6 writable-by-others others can write it",
          "8:22 abi-mismatch it is of 2.0",
        ])
    #expect(catalog.asked.withLock { $0.map(\.id) } == ["a", "b", "c"])
  }

  @Test("a plugin that cannot be loaded for lack of descriptors does not make the file invalid")
  func shortage() {
    let catalog = FakeCatalog(failures: ["c": PluginError(.unreadable, "too many files are open", isShortage: true)])
    let result = PipelineLoader.load(
      text: "operations: [{ name: x, uses: c }]", path: "/files/test.yaml", plugins: .catalog(catalog))
    #expect(result.diagnostics.map(shown) == ["1:31 system-limit too many files are open"])
    #expect(result.lacksResources)
  }

  @Test("a secret reaches a plugin only by name")
  func secrets() throws {
    let found = try Self.catalog().findings(
      """
      secrets: { token: { env: T } }
      controllers: { uses: cron, with: { schedule: "${{ secrets.token }} ${{ run.id }} ${{ results.x }}" } }
      operations:
        - { name: x, uses: text.length, with: { unit: "${{ secrets.token }}" }, inject: "${{ secrets.token }}" }
      """)
    #expect(
      found == [
        "2:51 secret-exposed a secret cannot be passed to a plugin; a plugin asks for it by its name (list it under 'secrets' of the plugin, under 'plugins')",
        "2:72 context-not-available 'run' is not available here: a controller starts before any run, and can use only 'params'",
        "2:86 context-not-available 'results' is not available here: a controller can use only 'params'",
        "4:54 secret-exposed a secret cannot be passed to a plugin; a plugin asks for it by its name (list it under 'secrets' of the plugin, under 'plugins')",
        "4:88 secret-exposed a secret cannot be passed to a plugin; a plugin asks for it by its name (list it under 'secrets' of the plugin, under 'plugins')",
      ])
  }

  @Test("wrong forms are reported")
  func forms() throws {
    let found = try Self.catalog().findings(
      """
      plugins: [x.so]
      specifications: { a: { uses: connected, with: { x: 1 } }, b: { uses: a && connected, with: {} }, c: { uses: b, with: { x: 1 } } }
      automatic: a && b && c
      controllers: [cron, { with: {} }, {}]
      operations: [{ name: x, with: { a: 1 } }]
      """)
    #expect(
      found == [
        "1:10 wrong-form 'plugins' needs a mapping of plugins' ids to paths, found a list",
        "2:41 misplaced-key 'with' has no effect on 'connected': it contains the settings of a plugin (leave it out)",
        "2:86 misplaced-key 'with' has no effect on 'a && connected': it contains the settings of a plugin (leave it out)",
        "2:112 misplaced-key 'with' has no effect on 'b', a specification of this pipeline, and there is no plugin of that name (leave it out, or write the settings where 'b' is declared)",
        "4:15 wrong-form a controller needs a mapping, found 'cron' (write '{uses: cron, with: {schedule: \"0 3 * * *\"}}')",
        "4:23 missing-key a controller needs a 'uses' (write '{uses: cron, with: {schedule: \"0 3 * * *\"}}')",
        "4:35 missing-key a controller needs a 'uses' (write '{uses: cron, with: {schedule: \"0 3 * * *\"}}')",
        "5:22 no-action operation 'x' does nothing: it needs one of run, command, http, uses, value, wait, pipeline, approve",
      ])
  }

  @Test("without plugins, a file that needs one does not load, but can be inspected")
  func withoutPlugins() throws {
    let text = "operations: [{ name: x, uses: any.thing, with: { a: 1 } }]"
    #expect(
      findings(text) == ["1:31 plugin-not-found 'any.thing' belongs to a plugin, but this program loads none"])
    let loaded = PipelineLoader.load(text: text, path: "test.yaml", plugins: .unchecked)
    #expect(loaded.pipeline?.operations.first?.actionSummary == "any.thing")
  }
}
