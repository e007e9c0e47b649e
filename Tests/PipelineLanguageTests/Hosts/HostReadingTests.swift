import Testing

@testable import PipelineLanguage

@Suite("The file of a host") struct HostReadingTests {
  private func load(_ text: String) -> HostLoadResult {
    HostDefinition.load(text: text, path: "/etc/penstock/host.yaml")
  }

  private func found(_ text: String) -> [String] { load(text).diagnostics.map(shown) }

  private func host(_ text: String) throws -> HostDefinition { try #require(load(text).host, "\(found(text))") }

  @Test("uses the defaults for missing keys", arguments: ["# nothing", "", "x-mine: 1"])
  func defaults(text: String) throws {
    var expected = HostDefinition()
    expected.path = "/etc/penstock/host.yaml"
    #expect(try host(text) == expected)
    #expect(expected.limits.runs == 8 && expected.limits.processes == nil && expected.limits.queued == 100_000)
    #expect(expected.queues == [.init(name: "default", runs: 8)] && expected.resources == [])
    #expect(expected.pipelines == [] && expected.workspace == nil && expected.retention == nil)
    #expect(expected.environment.pass == ["PATH", "HOME", "LANG", "TZ", "USER"] && expected.environment.set == [:])
    #expect(expected.onRestart == .resume && expected.drain == .seconds(600))
  }

  @Test("is read as a whole") func whole() throws {
    let host = try host(
      """
      queues:
        heavy: { runs: 1 }
        default: {}
      limits: { runs: 4, processes: 16, queued: 9 }
      pipelines: [ci, /srv/../x.yaml, ./night]
      workspace: data
      resources: { gpu: 1, licence: 3 }
      environment: { pass: [PATH], set: { LC_ALL: C.UTF-8, N: 5 } }
      on_restart: leave
      drain: 0s
      retention: { keep: 500, older_than: 90d }
      """)
    #expect(host.pipelines == ["/etc/penstock/ci", "/srv/../x.yaml", "/etc/penstock/night"])
    #expect(host.workspace == "/etc/penstock/data")
    #expect(host.limits.runs == 4 && host.limits.processes == 16 && host.limits.queued == 9)
    #expect(host.queues.map(\.name) == ["heavy", "default"] && host.queues.map(\.runs) == [1, 4])
    #expect(host.queue(nil)?.runs == 4 && host.queue("heavy")?.runs == 1 && host.queue("Heavy") == nil)
    #expect(host.resources.map(\.name) == ["gpu", "licence"] && host.resource("licence")?.capacity == 3)
    #expect(host.environment.pass == ["PATH"] && host.environment.set == ["LC_ALL": "C.UTF-8", "N": "5"])
    #expect(host.onRestart == .leave && host.drain == .zero)
    #expect(host.retention == .init(keep: 500, olderThan: .seconds(90 * 86_400)))
  }

  @Test("has a default queue, whatever others it declares") func defaultQueue() throws {
    let host = try host("queues: { heavy: { runs: 1 } }\nlimits: { runs: 3 }")
    #expect(host.queues.map(\.name) == ["default", "heavy"] && host.queues.map(\.runs) == [3, 1])
    #expect(host.queues[0].range == nil && host.queues[1].range?.start == SourceMark(line: 1, column: 11))
  }

  @Test("rejects a path that begins with '~', which would be a directory of that name") func home() throws {
    for text in ["workspace: ~/state", "pipelines: [~/p]"] {
      let result = HostDefinition.load(text: text, path: "/etc/host.yaml")
      #expect(result.host == nil)
      #expect(result.diagnostics.map(\.code) == ["wrong-form"])
      #expect(result.diagnostics.first?.message.hasSuffix("begins with '~', which is not expanded here") == true)
      #expect(result.diagnostics.first?.fix == "write the absolute path")
    }
  }

  @Test("resolves relative paths from its own directory, and does not follow links") func paths() throws {
    let current = HostDefinition.load(text: "pipelines: ci", path: "host.yaml").host?.pipelines
    let below = HostDefinition.load(text: "pipelines: ci", path: "conf/host.yaml").host?.pipelines
    #expect(current?.count == 1 && current?[0].hasPrefix("/") == true && current?[0].hasSuffix("/ci") == true)
    #expect(below?[0] == current.map { String($0[0].dropLast(2)) + "conf/ci" })
    #expect(HostDefinition.load(text: "pipelines: a", path: "/dev/stdin").host?.pipelines == ["/dev/a"])
  }

  @Test("passes named variables to processes, along with its own") func environment() {
    var environment = HostDefinition.Environment()
    environment.pass = ["PATH", "HOME", "TERM"]
    environment.set = ["HOME": "/nonexistent", "A": "b"]
    #expect(
      environment.variables(of: ["PATH": "/bin", "HOME": "/root", "SECRET": "x"])
        == ["PATH": "/bin", "HOME": "/nonexistent", "A": "b"])
  }

  @Test("suggests corrections for misspelt keys and words") func suggestions() {
    #expect(
      found("pipeline: a\nlimit: {}\nqueue: {}\nenv: {}\nconcurrency: 4\non_restart: fial") == [
        "1:1 unknown-key a host has no key 'pipeline' (did you mean 'pipelines'?)",
        "2:1 unknown-key a host has no key 'limit' (did you mean 'limits'?)",
        "3:1 unknown-key a host has no key 'queue' (did you mean 'queues'?)",
        "4:1 misplaced-key 'env' is a key of pipelines (write 'environment: { set: { NAME: text } }' for the processes of all pipelines)",
        "5:1 misplaced-key 'concurrency' is a key of pipelines ('limits' sets how many runs and processes there may be at once)",
        "6:13 unknown-word 'on_restart' is one of resume, fail, leave, found 'fial' (did you mean 'fail'?)",
      ])
  }

  @Test("reports all of its errors with their places") func mistakes() {
    #expect(found("- a") == ["1:1 wrong-form a host's file needs a mapping, found a list"])
    #expect(found("pipelines: []") == ["1:12 wrong-form 'pipelines' needs at least one path, found an empty list"])
    #expect(found("pipelines: [\"\"]") == ["1:13 wrong-form an entry of 'pipelines' needs a path, found ''"])
    #expect(found("pipelines: https://x.org").first?.hasPrefix("1:12 wrong-form 'pipelines' needs a path") == true)
    #expect(found("pipelines: [a, ./a]") == ["1:16 duplicate-name the path is already listed on line 1"])
    #expect(found("workspace: \"a\\0b\"").first?.hasPrefix("1:12 wrong-form 'workspace' needs a path") == true)
    #expect(
      found("limits: { runs: 0, processes: 10000001, queued: -1 }") == [
        "1:17 out-of-range 'runs' must be from 1 to 10000000, found 0",
        "1:31 out-of-range 'processes' must be from 1 to 10000000, found 10000001",
        "1:49 out-of-range 'queued' must be from 1 to 10000000, found -1",
      ])
    #expect(
      found("queues: { a: 3, b: ~, C: {}, c: {}, '': {} }") == [
        "1:14 wrong-form the queue 'a' needs a mapping, found '3' (write '{ runs: 3 }')",
        "1:20 wrong-form the queue 'b' needs a mapping, found '~' (write '{}' for as many runs as the host has)",
        "1:30 duplicate-name the name 'c' is already used on line 1",
        "1:37 invalid-name '' cannot be a queue's name: it may contain letters, digits, '_' and '-', at most 100, the first a letter or '_'",
      ])
    #expect(found("queues: { a: { runs: 1 }, a: { runs: 2 } }").first?.hasPrefix("1:27 duplicate-key") == true)
    #expect(
      found("resources: { gpu: 0, 'a b': 1 }") == [
        "1:19 out-of-range the capacity of 'gpu' must be at least 1, found 0",
        "1:22 invalid-name 'a b' cannot be a resource's name: it may contain letters, digits, '_' and '-', the first a letter or '_'",
      ])
    #expect(found("retention: {}").first?.hasPrefix("1:12 wrong-form 'retention'") == true)
    #expect(
      found("drain: 10") == [
        "1:8 invalid-duration 'drain' needs a duration with its unit, found '10' (for seconds write '10s')"
      ])
  }

  @Test("accepts only valid variable names, and none of the host's own") func variables() {
    let own = "cannot be passed to processes: it is reserved for the host and systemd"
    #expect(
      found("environment: { pass: [PATH, PATH, A-B, NOTIFY_SOCKET, LISTEN_PID, PENSTOCK_X] }") == [
        "1:29 duplicate-name the variable 'PATH' is named already",
        "1:35 invalid-name 'A-B' cannot be an environment variable: it may contain letters, digits and '_', the first a letter or '_'",
        "1:40 reserved-name 'NOTIFY_SOCKET' \(own)", "1:55 reserved-name 'LISTEN_PID' \(own)",
        "1:67 reserved-name 'PENSTOCK_X' cannot be set: names that begin with PENSTOCK_ are the engine's own",
      ])
    #expect(
      found("environment: { set: { WATCHDOG_USEC: 1, A: '${{ env.B }}', B: [c], C: \"a\\0b\" } }") == [
        "1:23 reserved-name 'WATCHDOG_USEC' \(own)",
        "1:45 expression-not-allowed the variable 'A' cannot contain an expression: it is read before anything runs",
        "1:63 wrong-form the variable 'B' needs a text, found a list",
        "1:71 wrong-form the variable 'C' cannot contain a NUL character",
      ])
    #expect(found("environment: { pass: PATH }") == ["1:22 wrong-form 'pass' needs a list, found 'PATH'"])
  }

  @Test("is not a pipeline, and is reported as such") func notPipeline() {
    let message =
      "1:1 not-a-pipeline the file has no operations: it is the configuration of a host (check it with 'penstock check --config FILE')"
    #expect(findings("queues: { a: {} }\nresources: { gpu: 1 }\nx-mine: 1") == [message])
    #expect(findings("pipelines: [a]") == [message])
    // Both have this key, so it identifies neither.
    #expect(findings("resources: { gpu: 1 }") == ["1:1 missing-key a pipeline needs 'operations'"])
    #expect(findings("queues: {}\noperations: []").contains { $0.contains("unknown-key") })
  }

  @Test("may declare a queue for more runs than the host allows, with a warning") func wideQueue() throws {
    let result = load("queues: { heavy: { runs: 9 } }")
    #expect(
      result.diagnostics.map(shown) == [
        "1:26 warning out-of-range the queue 'heavy' allows 9 runs at once, but the host has at most 8 (raise 'runs' of 'limits', or lower this)"
      ])
    #expect(result.host?.queue("heavy")?.runs == 9)
  }

  @Test("has the same limits as pipeline files") func hostile() {
    var bomb = "x-0: &0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for level in 1...6 {
      let aliases = Array(repeating: "*\(level - 1)", count: 10).joined(separator: ", ")
      bomb += "x-\(level): &\(level) [\(aliases)]\n"
    }
    #expect(found(bomb).contains { $0.contains("alias-expansion") })
    #expect(
      found(String(repeating: "[", count: 200)).contains { $0.contains("too-deep") || $0.contains("yaml-syntax") })
    #expect(found("pipelines: \"\\e[2J\"\n\u{1}").contains { $0.contains("yaml-syntax") })
    let escape = load("\"\\e[2J\": 1")
    #expect(!DiagnosticRenderer().render(escape.diagnostics, in: [escape.source]).contains("\u{1B}"))
  }

  @Test("yields a finding if it cannot be read, and its host is unknown") func unreadable() {
    let result = HostDefinition.load(path: "/nonexistent/host.yaml")
    #expect(result.diagnostics.map(\.code) == ["file-not-found"] && !result.isValid && !result.lacksResources)
    #expect(HostDefinition.load(path: "/").diagnostics.map(\.code) == ["file-unreadable"])
    let text = "queue: heavy\noperations: [{ name: a, value: 1, resources: { gpu: 1 } }]\n"
    #expect(PipelineLoader.load(text: text, path: "a.yaml", host: result.hostSource).isValid)
  }
}
