import Foundation
import PluginHost
import Synchronization
import Testing
import Values

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("Plugin operations in a run")
struct PluginOperationTests {
  private static let echo: JSONValue = [
    "kind": "operation", "id": "echo", "requirement": "json",
    "settings": [["name": "text", "type": "string", "summary": "x", "default": "none"]],
  ]

  private func withHost(
    _ plugins: [FakePlugin], _ body: (EngineTestHost) async throws -> Void
  ) async throws {
    let host = try EngineTestHost(plugins: .catalog(FakeCatalog(plugins)))
    do {
      try await body(host)
    } catch {
      await host.close()
      throw error
    }
    await host.close()
  }

  @Test("receive the requirement, the settings and the caller, and pass on the result")
  func roundTrip() async throws {
    let inputs = Mutex<[JSONValue]>([])
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      inputs.withLock { $0.append(instance.input) }
      instance.events.ended(.success(["got": instance.input["requirement"] ?? .null, "with": instance.settings]))
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        name: trip
        operations:
          - { name: one, value: { a: [1, 2] } }
          - { name: whole, uses: echo, inject: one }
          - { name: named, uses: echo, with: { text: "t ${{ results.one.a[0] }}" }, inject: { first: "${{ results.one.a }}", other: x } }
          - { name: bare, uses: echo }
          - { name: after, value: "${{ results.whole.got.a[1] }}" }
        """)
      #expect(run.outcome.run.state == .succeeded)
      #expect(run.outcome.results["whole"]?.text == #"{"got":{"a":[1,2]},"with":{"text":"none"}}"#)
      #expect(run.outcome.results["named"]?.text == #"{"got":{"first":[1,2],"other":"x"},"with":{"text":"t 1"}}"#)
      #expect(run.outcome.results["after"] == 2)
      let bare = try #require(inputs.withLock { $0.first { $0["operation"] == "bare" } })
      #expect(
        bare.text
          == #"{"attempt":1,"operation":"bare","run":"\#(run.outcome.run.id.text)","pipeline":"trip","directory":"\#(host.directory)"}"#
      )
    }
    #expect(plugin.counts.withLock { $0.created == 3 && $0.destroyed == 3 })
  }

  @Test("receive the directory for relative paths, as specifications do")
  func directory() async throws {
    let inputs = Mutex<[JSONValue]>([])
    let offers: [JSONValue] = [
      ["kind": "operation", "id": "place"], ["kind": "specification", "id": "place.here"],
    ]
    let plugin = try FakePlugin("place", offers: offers) { instance in
      inputs.withLock { $0.append(instance.input["directory"] ?? .null) }
      if instance.offer.kind == .specification {
        instance.events.changed(true, reason: "here")
      } else {
        instance.events.ended(.success(nil))
      }
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        specifications: { here: { uses: place.here } }
        operations: [{ name: x, uses: place, run_when: here }]
        """)
      #expect(run.states == ["x succeeded"])
      #expect(inputs.withLock { $0 } == [.string(host.directory), .string(host.directory)])
    }
  }

  @Test("are retried after a failure as the plugin hints, and only if 'on' lists its code")
  func retries() async throws {
    let attempts = Mutex(0)
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      switch attempt {
      case 1:
        instance.events.ended(
          .failure(PluginFailure(code: "quota", message: "too many", retryAfter: .seconds(7))))
      case 2: instance.events.ended(.failure(PluginFailure(code: "quota", message: "too many")))
      case 3: instance.events.ended(.failure(PluginFailure(code: "broken", message: "it is broken")))
      default: instance.events.ended(.success(1))
      }
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        operations:
          - { name: x, uses: echo, retry: { limit: 5, base: 1s, backoff: constant, jitter: none, on: [{ error: quota }] } }
        """)
      #expect(run.states == ["x failed broken"])
      #expect(run.delays(of: "x") == [7_000, 1_000])
      #expect(run.attempts.map { $0.error?.code } == ["quota", "quota", "broken"])
      #expect(run.operations[0].error?.message == "it is broken")
    }
  }

  @Test("fail the attempt with a result that is not of its type")
  func resultTypes() async throws {
    let offers: [JSONValue] = [
      ["kind": "operation", "id": "give.int", "result": "int"], ["kind": "operation", "id": "give.any"],
      ["kind": "operation", "id": "give.nothing", "result": "none"],
    ]
    let plugin = try FakePlugin("give", offers: offers) { instance in
      instance.events.ended(.success(instance.offer.id == "give.nothing" ? nil : "text"))
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        operations:
          - { name: a, uses: give.int, allow_failure: true }
          - { name: b, uses: give.any, result: "{x: int}", allow_failure: true }
          - { name: c, uses: give.any }
          - { name: d, uses: give.nothing }
        """)
      #expect(run.states == ["a failed result-mismatch", "b failed result-mismatch", "c succeeded", "d succeeded"])
      #expect(run.outcome.results.keys.sorted() == ["c"])
    }
  }

  @Test("are requested to end within their grace period at a timeout, which is the attempt's failure")
  func timeout() async throws {
    let graces = Mutex<[JSONValue]>([])
    let plugin = try FakePlugin("slow", offers: [["kind": "operation", "id": "slow"]]) { instance in
      graces.withLock { $0.append(instance.input) }
      instance.events.ended(.failure(PluginFailure(code: "cancelled", message: "asked to end")))
    } start: { _ in
    }
    try await withHost([plugin]) { host in
      let run = try await host.run("operations: [{ name: x, uses: slow, timeout: 20ms, grace: 3s }]")
      #expect(run.states == ["x failed timeout"])
    }
    #expect(graces.withLock { $0 } == ["3.0 seconds"])
    #expect(plugin.counts.withLock { $0.destroyed } == 1)
  }

  @Test("log to the log of the attempt, and secrets are masked there and in all their reports")
  func logs() async throws {
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      Task {
        let secret = (try? await instance.access.secrets?("token")) ?? "?"
        var refused = "given"
        do {
          _ = try await instance.access.secrets?("other")
        } catch {
          refused = "\(error)"
        }
        instance.events.logged(.info, "began with \(secret)", nil)
        instance.events.logged(.warning, "is slow\nvery", ["ms": 5])
        instance.events.ended(.success(["secret": .string(secret), "other": .string(refused)]))
      }
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        secrets: { token: { command: [echo, hunter2-hunter2] }, other: { command: [echo, hunter2-hunter2] } }
        plugins: { echo: { secrets: [token] } }
        operations: [{ name: x, uses: echo }]
        """)
      #expect(run.outcome.results["x"]?.text == #"{"secret":"***","other":"denied"}"#)
      let path = try #require(run.attempts[0].standardError)
      let log = try String(contentsOfFile: host.directory + "/workspace/" + path, encoding: .utf8)
      #expect(log == "began with ***\nwarning: is slow\n  very (ms: 5)\n")
    }
  }

  @Test("have no log files if they log nothing")
  func quiet() async throws {
    let plugin = try FakePlugin("echo", offers: [Self.echo])
    try await withHost([plugin]) { host in
      let run = try await host.run("operations: [{ name: x, uses: echo }]")
      #expect(run.attempts[0].standardError == nil)
      #expect(run.attempts[0].standardOutput == nil)
    }
  }

  @Test("report progress at a limited rate")
  func progress() async throws {
    let told = Mutex<[PluginProgress]>([])
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      for number in 0..<1_000 {
        instance.events.progressed(["fraction": .double(Double(number) / 1_000), "message": "going"])
      }
      let events = instance.events
      Task { @Sendable in
        // Until the first of them was reported.
        while told.withLock({ $0.isEmpty }) { await Task.yield() }
        events.ended(.success(nil))
      }
    }
    try await withHost([plugin]) { host in
      _ = try await host.run("operations: [{ name: x, uses: echo }]") { event in
        if case .progress(_, _, let progress) = event { told.withLock { $0.append(progress) } }
      }
    }
    #expect(told.withLock { $0.first } == PluginProgress(fraction: 0.999, message: "going"))
    #expect(told.withLock { $0.count } < 10)
  }

  @Test("are reused as long as the plugin, its settings and its requirement are the same")
  func reuse() async throws {
    let text = { (setting: String) in
      "operations: [{ name: x, uses: echo, with: { text: \(setting) }, stale_after: 1h }]"
    }
    let catalogs = try ["1", "2"].map { FakeCatalog([try FakePlugin("echo", offers: [Self.echo], hash: $0)]) }
    let current = SwitchingCatalog(catalogs)
    let host = try EngineTestHost(plugins: .catalog(current))
    var states: [[String]] = []
    for setting in ["a", "a", "b"] { states.append(try await host.run(text(setting)).states) }
    current.index.withLock { $0 = 1 }
    states.append(try await host.run(text("a")).states)
    #expect(states == [["x succeeded"], ["x reused fresh"], ["x succeeded"], ["x succeeded"]])
    await host.close()
  }

  @Test("support loops, repetitions and conditions like any action")
  func modifiers() async throws {
    let count = Mutex(0)
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      let number = count.withLock { count in
        count += 1
        return count
      }
      instance.events.ended(.success(instance.input["requirement"] ?? .int(Int64(number))))
    }
    try await withHost([plugin]) { host in
      let run = try await host.run(
        """
        operations:
          - { name: each, uses: echo, for_each: [a, b, c], inject: "${{ item }}" }
          - { name: again, uses: echo, needs: each, repeat: { until: "results.again >= 5" } }
          - { name: never, uses: echo, when: "false" }
        """)
      #expect(run.outcome.results["each"] == ["a", "b", "c"])
      #expect(run.outcome.results["again"] == 5)
      #expect(run.states.contains("never skipped condition"))
    }
  }

  @Test("store values by pipeline, and find keys by their prefix")
  func storage() async throws {
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      Task {
        let storage = instance.access.storage
        var before: JSONValue = .null
        do { before = try await storage?.value(of: "a%b") ?? .null } catch { before = .string("\(error)") }
        try? await storage?.set(["n": 1], for: "a%b")
        try? await storage?.set(2, for: "a_c")
        try? await storage?.set(3, for: "axb")
        try? await storage?.set(nil, for: "axb")
        let keys = (try? await storage?.keys(beginningWith: "a")) ?? []
        let exact = (try? await storage?.keys(beginningWith: "a%")) ?? []
        instance.events.ended(
          .success(["before": before, "keys": .array((keys + exact).map { .string($0) })]))
      }
    }
    try await withHost([plugin]) { host in
      let text = "operations: [{ name: x, uses: echo }]"
      let first = try await host.run("name: one\n" + text)
      #expect(first.outcome.results["x"]?.text == #"{"before":"unknown","keys":["a%b","a_c","a%b"]}"#)
      let second = try await host.run("name: one\n" + text)
      #expect(second.outcome.results["x"]?["before"] == ["n": 1])
      let other = try await host.run("name: two\n" + text)
      #expect(other.outcome.results["x"]?["before"] == "unknown")
    }
  }

  @Test("list keys in the order of their bytes, and distinguish keys by their bytes")
  func keyOrder() async throws {
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      Task {
        let storage = instance.access.storage
        for (number, key) in ["b", "a", "B", "\u{1D11E}", "\u{FF21}", "e\u{301}", "\u{E9}", "ab", ""].enumerated() {
          try? await storage?.set(.int(Int64(number)), for: key)
        }
        let keys = (try? await storage?.keys(beginningWith: "")) ?? []
        let values = ["e\u{301}", "\u{E9}", ""]
        var found: [JSONValue] = []
        for key in values { found.append((try? await storage?.value(of: key)) ?? .null) }
        let bytes = keys.map { $0.utf8.map { String($0, radix: 16) }.joined() }
        instance.events.ended(.success(.array(found + bytes.map { .string($0) })))
      }
    }
    try await withHost([plugin]) { host in
      let run = try await host.run("operations: [{ name: x, uses: echo }]")
      #expect(
        run.outcome.results["x"] == [
          5, 6, 8, "", "42", "61", "6162", "62", "65cc81", "c3a9", "efbca1", "f09d849e",
        ])
    }
  }

  @Test("store a value of 16 MiB unchanged")
  func largestValue() async throws {
    let text = String(repeating: "v", count: (16 << 20) - 2)
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      Task {
        let storage = instance.access.storage
        try? await storage?.set(.string(text), for: "k")
        instance.events.ended(.success(.bool((try? await storage?.value(of: "k")) == .string(text))))
      }
    }
    try await withHost([plugin]) { host in
      let run = try await host.run("operations: [{ name: x, uses: echo }]")
      #expect(run.outcome.results["x"] == true)
    }
  }

  @Test("keep 4 MiB of log lines that come too fast, and count the rest")
  func fastLines() async throws {
    #expect(PluginAttempt.logLimit == 4 << 20)
    let line = String(repeating: "l", count: 1 << 20)
    // Its start is called on the event loop, which writes no line in the meantime.
    let plugin = try FakePlugin("echo", offers: [Self.echo]) { instance in
      for _ in 0..<6 { instance.events.logged(.info, line, nil) }
      instance.events.ended(.success(nil))
    }
    try await withHost([plugin]) { host in
      let run = try await host.run("operations: [{ name: x, uses: echo }]")
      let path = try #require(run.attempts[0].standardError)
      let log = try String(contentsOfFile: host.directory + "/workspace/" + path, encoding: .utf8)
      let lines = log.split(separator: "\n")
      let kept = lines.dropLast().map(\.utf8.count)
      #expect(kept == Array(repeating: line.utf8.count, count: 4))
      #expect(lines.last == "warning: 2 more lines were dropped because they came too fast")
    }
  }

  @Test("see in run.event what started the run, or null")
  func event() async throws {
    try await withHost([]) { host in
      let text = "operations: [{ name: x, value: \"${{ run.event.path }}\" }, { name: y, value: \"${{ run.event }}\" }]"
      let run = try await host.run(text, event: ["path": "a.txt"])
      #expect(run.outcome.results["x"] == "a.txt")
      #expect(run.outcome.run.event == #"{"path":"a.txt"}"#)
      let other = try await host.run(text)
      #expect(other.outcome.results["y"] == .null)
      let recorded = try host.services.history.run(run.outcome.run.id)
      #expect(recorded?.event == #"{"path":"a.txt"}"#)
    }
  }
}

/// Switches between catalogs.
private final class SwitchingCatalog: PluginCatalog {
  let catalogs: [FakeCatalog]
  let index = Mutex(0)

  init(_ catalogs: [FakeCatalog]) { self.catalogs = catalogs }

  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin {
    try catalogs[index.withLock { $0 }].plugin(id, reference)
  }

  var knownIDs: [String] { [] }
  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String) {}
}
