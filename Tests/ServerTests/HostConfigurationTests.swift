import Foundation
import PipelineEngine
import PipelineLanguage
import RunHistory
import RunReports
import Synchronization
import Testing
import Values

@testable import Server

@Suite("The file of a host") struct HostConfigurationTests {
  private static let value = "operations: [{ name: a, value: 1 }]"

  private static func definition(_ text: String) -> HostDefinition {
    HostDefinition.load(text: text, path: "/etc/host.yaml").host ?? HostDefinition()
  }

  private func succeed(_ name: String, on bench: ServerBench, in history: History) async throws -> RunID {
    let run = try bench.start(name, in: history)
    try await eventually { try history.run(run)?.state.isFinal == true }
    #expect(try history.run(run)?.state == .succeeded)
    return run
  }

  @Test("makes a pipeline with an unknown queue invalid until it declares that queue")
  func queues() async throws {
    let text = Mutex("queues: { heavy: { runs: 1 } }")
    let bench = try ServerBench(["one": "queue: heavy\n" + Self.value, "two": "queue: light\n" + Self.value]) {
      configuration in
      let folder = configuration.paths
      configuration.use(Self.definition(text.withLock { $0 }))
      configuration.read = { .valid(Self.definition(text.withLock { $0 }), paths: folder, warnings: nil) }
    }
    try await bench.serve { server, history in
      #expect(try history.publishedPipeline("one")?.problem == nil)
      let problem = try #require(try history.publishedPipeline("two")?.problem)
      #expect(problem.contains("the host has no queue 'light'"))
      text.withLock { $0 = "queues: { light: { runs: 1 } }\nlimits: { processes: 3 }" }
      server.send(.reload(by: nil))
      try await eventually { try history.publishedPipeline("two")?.problem == nil }
      _ = try await succeed("two", on: bench, in: history)
      // The version that was at work stays there.
      let former = try #require(try history.publishedPipeline("one"))
      #expect(former.problem?.contains("the host has no queue 'heavy'") == true)
      #expect(former.isLoaded)
      let kept = "'processes' of 'limits' changed; this takes effect when the host is restarted"
      #expect(bench.log.contains { $0.hasSuffix("warning: \(kept)") })
      #expect(try StatusReport(of: [], in: history).problems.contains(kept))
    }
  }

  @Test("is published in full, except for the values of variables")
  func published() async throws {
    let bench = try ServerBench { configuration in
      configuration.variables = [:]
      configuration.use(
        Self.definition(
          """
          limits: { processes: 3 }
          environment: { pass: [PATH], set: { TOKEN: hidden, LC_ALL: C } }
          retention: { keep: 5, older_than: 90d }
          """))
    }
    try await bench.serve { _, history in
      let text = try #require(try history.currentHost()?.configuration)
      let configuration = try JSONValue.parse(text)
      #expect(configuration["limits"] == ["runs": 8, "processes": 3, "queued": 100_000])
      #expect(configuration["environment"] == ["pass": ["PATH"], "set": ["LC_ALL", "TOKEN"]])
      #expect(configuration["retention"] == ["keep": 5, "older_than": "90d"])
    }
  }

  @Test("changes limits when it is read again, and has no effect while it has errors")
  func limits() async throws {
    let reading = Mutex(ServerConfiguration.Reading.invalid("host.yaml:1:1: error: no\n  1 | no\n"))
    let bench = try ServerBench(["one": "operations: [{ name: a, run: exec sleep 60 }]"]) { configuration in
      configuration.use(Self.definition("limits: { runs: 1 }\ndrain: 0s"))
      configuration.read = { reading.withLock { $0 } }
    }
    try await bench.serve { server, history in
      let runs = try (0..<3).map { _ in try bench.start("one", in: history) }
      try await eventually { try history.run(runs[0])?.state == .running }
      server.send(.reload(by: nil))
      try await eventually {
        bench.log.contains { $0.contains("the previous one stays in effect: host.yaml:1:1: error: no") }
      }
      #expect(try history.run(runs[1])?.state == .queued)
      try await eventually {
        try StatusReport(of: [], in: history).problems
          == ["the configuration is invalid; the previous one stays in effect: host.yaml:1:1: error: no"]
      }
      let folder = bench.folder
      reading.withLock {
        $0 = .valid(Self.definition("limits: { runs: 2 }\ndrain: 0s"), paths: [folder], warnings: nil)
      }
      server.send(.reload(by: nil))
      try await eventually { try history.run(runs[1])?.state == .running }
      #expect(try history.run(runs[2])?.state == .queued)
      try await eventually { try StatusReport(of: [], in: history).problems.isEmpty }
    }
  }

  @Test("determines what processes inherit, except for the variables of secrets")
  func environment() async throws {
    let bench = try ServerBench([
      "shows": #"operations: [{ name: a, run: 'echo "$A,$B,$TOKEN,$C"', shell: /bin/sh }]"#,
      "has": """
      secrets: { token: { env: TOKEN }, key: { env: KEY } }
      operations: [{ name: a, env: { T: "${{ secrets.token }} ${{ secrets.key }}" }, run: 'printf %s "$T" | wc -c', result: int }]
      """,
    ]) { configuration in
      configuration.variables = [
        "PATH": "/usr/bin:/bin", "A": "a", "B": "b", "TOKEN": "hush-hush", "KEY": "sesame",
      ]
      configuration.use(Self.definition("environment: { pass: [PATH, A, TOKEN], set: { C: c } }"))
    }
    try await bench.serve { _, history in
      let shown = try await succeed("shows", on: bench, in: history)
      #expect(try history.operations(of: shown).first?.result == .inline(#""a,,,c""#))
      let secret = try await succeed("has", on: bench, in: history)
      #expect(try history.operations(of: secret).first?.result == .inline("16"))
    }
  }

  @Test("sets the retention of pipelines that have none")
  func retention() async throws {
    let bench = try ServerBench(["one": Self.value, "two": "retention: { keep: 3 }\n" + Self.value])
    try await bench.serve { _, history in
      for name in ["one", "two"] {
        for _ in 0..<4 { _ = try await succeed(name, on: bench, in: history) }
      }
      let now = RecordTime.now
      let part = try await RetentionKeeper.delete(2, in: history, for: "ada", otherwise: .init(keep: 1), now: now)
      #expect(part.count == 2)
      let rest = try await RetentionKeeper.delete(100, in: history, for: "ada", otherwise: .init(keep: 1), now: now)
      #expect(rest.count == 2)
      #expect(try history.runs(RunFilter(pipeline: "one")).count == 1)
      #expect(try history.runs(RunFilter(pipeline: "two")).count == 3)
      #expect(try await RetentionKeeper.delete(100, in: history, for: "ada", otherwise: nil, now: now).count == 0)
      let entries = try history.audit().filter { $0.action == .prune }
      #expect(entries.map(\.requester) == Array(repeating: Requester("ada", by: .retention), count: 2))
      #expect(entries.map(\.detail) == ["2 runs", "2 runs"])
      #expect(entries.allSatisfy { $0.time == now && $0.target == "*" })
    }
  }

  @Test("A watchdog hears from a host while it serves") func pulse() async throws {
    let beats = Mutex(0)
    let bench = try ServerBench(["one": Self.value])
    var states = HostStates()
    states.pulse = (.milliseconds(10), { beats.withLock { $0 += 1 } })
    let server = try bench.server(states)
    let serving = Task { try await server.run() }
    try await eventually { beats.withLock { $0 } > 3 }
    server.send(.drain(RunCanceller(means: .drain)))
    try await serving.value
    let last = beats.withLock { $0 }
    try await Task.sleep(for: .milliseconds(50))
    #expect(beats.withLock { $0 } == last)
  }

  @Test("A status names runs in progress, waiting runs and the next run") func status() {
    let now = RecordTime(microseconds: 1_764_000_000_000_000)
    #expect(HostStatus(running: 12, queued: 3, next: nil, now: now).text == "12 running, 3 queued")
    let next = RecordTime(microseconds: now.microseconds + 600_000_000)
    let text = HostStatus(running: 0, queued: 1, next: ("nightly", next), now: now).text
    #expect(text.wholeMatch(of: /0 running, 1 queued, next: nightly \d\d:\d\d/) != nil)
  }

  @Test("A service manager is trusted if it addresses this process") func manager() {
    let manager = { (variables: [String: String]) in ServiceManager { variables[$0] } }
    #expect(!manager([:]).isThere)
    #expect(!manager(["NOTIFY_SOCKET": "vsock:2:1"]).isThere)
    #expect(manager(["NOTIFY_SOCKET": "@a"]).isThere)
    #expect(manager(["WATCHDOG_USEC": "30000000"]).watchdogInterval == .seconds(15))
    #expect(manager(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
    #expect(manager(["WATCHDOG_USEC": "0"]).watchdogInterval == nil)
    #expect(
      ServiceManager.isOwn("WATCHDOG_USEC") && ServiceManager.isOwn("LISTEN_FDNAMES") && !ServiceManager.isOwn("PATH"))
  }
}
