import Foundation
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Server
import Synchronization
import Testing
import Workspace

@Suite("A host that is drained")
struct DrainTests {
  private static let value = "operations: [{ name: a, value: 1 }]"
  private static let asking = "operations: [{ name: a, approve: may it? }]"
  private static let working = "operations: [{ name: a, run: sleep 600 }]"

  private func state(_ run: RunID, in history: History) throws -> RunState? { try history.run(run)?.state }

  @Test("begins nothing, keeps the queue, and lets runs in progress end")
  func drain() async throws {
    let bench = try ServerBench { configuration in
      configuration.limits.runs = 1
      configuration.drain = .seconds(60)
    }
    try bench.write(
      "operations: [{ name: a, run: 'until [ -e \(bench.directory)/go ]; do sleep 0.01; done' }]", to: "one")
    var runs: [RunID] = []
    try await bench.serve { server, history in
      runs = try (0..<2).map { _ in try bench.start("one", in: history) }
      try await eventually { try state(runs[0], in: history) == .running }
      server.send(.drain(RunCanceller(means: .drain)))
      try await eventually { try history.currentHost()?.state == .draining }
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      try await eventually { try state(runs[0], in: history) == .succeeded }
    }
    let history = try bench.history()
    #expect(try history.queue().map(\.run) == [runs[1]])
    history.workspace.close()
  }

  @Test("puts runs that have not begun back into the queue", arguments: ["secret", "turn", "former"])
  func notBegun(waitsFor: String) async throws {
    let stubborn = "operations: [{ name: a, run: \"trap '' TERM; while :; do sleep 0.05; done\", grace: 10s }]"
    let text =
      switch waitsFor {
      case "secret": "secrets: { key: { command: [sleep, '600'] } }\n\(Self.value)"
      case "turn": "overlap: queue\n\(Self.working)"
      default: "overlap: cancel\n\(stubborn)"
      }
    let bench = try ServerBench(["one": text, "working": Self.working]) { $0.drain = .seconds(3600) }
    var run: RunID?
    try await bench.serve { server, history in
      // Without something that goes on, the host would end before anybody can ask.
      let working = try bench.start(waitsFor == "secret" ? "working" : "one", in: history)
      try await eventually { try history.operations(of: working).first?.state == .running }
      let started = try bench.start("one", in: history)
      run = started
      // No longer served, so that its turn is not what keeps it in the queue.
      if waitsFor == "turn" { try bench.remove("one") }
      try await eventually { try history.queue().first { $0.run == started }?.isTaken == true }
      server.send(.drain(RunCanceller(means: .drain)))
      try await eventually { try history.currentHost()?.state == .draining }
      try await eventually { try history.queue().first { $0.run == started }?.isTaken == false }
      #expect(
        try QueueReport(run: started, in: history).places.map(\.reason) == ["the next host: this one is draining"])
      #expect(!bench.log.contains { $0.contains("run \(started) of 'one' begins") })
      server.send(.drain(RunCanceller(means: .signal("SIGTERM"))))
    }
    let told = bench.log.first { $0.contains("draining: ") } ?? ""
    #expect(told.hasSuffix("1 run has not begun and stays in the queue"), "\(bench.log)")
    let id = try #require(run)
    #expect(bench.log.contains { $0.hasSuffix("run \(id) of 'one' has not begun and stays queued") })
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try state(id, in: history) == .queued)
    #expect(try history.queue().map(\.run) == [id])
    #expect(try history.occasions().first { $0.run == id }?.outcome == .queued)
  }

  @Test("counts a run that was taken but has not begun as queued")
  func counted() async throws {
    let bench = try ServerBench([
      "one": "secrets: { key: { command: [sleep, '600'] } }\n\(Self.value)", "two": Self.working,
    ]) { $0.drain = .zero }
    let states = Mutex<[String]>([])
    try await bench.serve(status: { line in states.withLock { $0.append(line) } }) { _, history in
      let working = try bench.start("two", in: history)
      try await eventually { try history.operations(of: working).first?.state == .running }
      let reading = try bench.start("one", in: history)
      try await eventually { try history.queue().first { $0.run == reading }?.isTaken == true }
      try await eventually { states.withLock { $0.last } == "1 running, 1 queued" }
    }
  }

  @Test("cancels what is running at a second signal")
  func drainTwice() async throws {
    let bench = try ServerBench(["one": Self.working]) { $0.drain = .seconds(60) }
    var run: RunID?
    try await bench.serve { server, history in
      let started = try bench.start("one", in: history)
      run = started
      try await eventually { try state(started, in: history) == .running }
      server.send(.drain(RunCanceller(means: .drain)))
    }
    let history = try bench.history()
    let record = try #require(try run.flatMap { try history.run($0) })
    #expect((record.state, record.canceller?.means) == (.cancelled, .drain))
    history.workspace.close()
  }

  @Test("continues to drain when asked to drain again, and cancels what is running when asked to end now")
  func asked() async throws {
    let bench = try ServerBench(["one": Self.working]) { $0.drain = .seconds(3600) }
    try await bench.serve { server, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.operations(of: run).first?.state == .running }
      // Two that are heard at once, and one that is heard later.
      for _ in 0..<2 { try history.ask(.drain, for: Requester("ada"), at: .now) }
      try await eventually { try history.currentHost()?.state == .draining }
      try history.ask(.drain, for: Requester("bob"), at: .now)
      try await eventually { bench.log.contains { $0.hasSuffix("asked by bob to drain, and is draining already") } }
      #expect(try state(run, in: history) == .running)
      try history.ask(.drainNow, for: Requester("eve"), at: .now)
      try await eventually { try state(run, in: history) == .cancelled }
      #expect(try history.run(run)?.canceller?.who == "eve")
      let drains = try history.audit().filter { $0.action == .drain }
      #expect(drains.map(\.requester.who) == ["eve", "bob", "ada", "ada"])
      #expect(drains.first?.detail == "now, which cancels active runs")
    }
  }

  @Test("cancels without grace after a second signal", .timeLimit(.minutes(1)))
  func secondSignal() async throws {
    let bench = try ServerBench([
      "stubborn": "operations: [{ name: a, run: \"trap '' TERM; while :; do sleep 0.05; done\", grace: 1h }]"
    ]) { $0.drain = .seconds(3600) }
    try await bench.serve { server, history in
      let started = try bench.start("stubborn", in: history)
      try await eventually { try history.operations(of: started).first?.state == .running }
      server.send(.drain(RunCanceller(means: .signal("SIGTERM"))))
      try await eventually { try history.currentHost()?.state == .draining }
      server.send(.drain(RunCanceller(means: .signal("SIGTERM"))))
      try await eventually { try state(started, in: history) == .cancelled }
    }
  }

  @Test("logs which signals requested what")
  func signalsInLog() async throws {
    let bench = try ServerBench(["one": Self.working]) { $0.drain = .seconds(3600) }
    try await bench.serve { server, history in
      let started = try bench.start("one", in: history)
      try await eventually { try history.operations(of: started).first?.state == .running }
      server.send(.drain(RunCanceller(means: .signal("SIGTERM"))))
      try await eventually { try history.currentHost()?.state == .draining }
      server.send(.drain(RunCanceller(who: "ada", means: .signal("SIGTERM"))))
      try await eventually { try state(started, in: history) == .cancelled }
    }
    let told = ["SIGTERM asks to drain", "SIGTERM of ada while draining: killing active runs, without grace"]
    for words in told { #expect(bench.log.contains { $0.hasSuffix(words) }) }
  }

  @Test(
    "ends even if it has no descriptor to read its pipelines", .timeLimit(.minutes(1)),
    arguments: [true, false])
  func drainedAtStart(bySignal: Bool) async throws {
    let bench = try ServerBench(["one": Self.value]) {
      $0.computer.folderNames = { _ throws(PipelineFiles.Unreadable) in throw PipelineFiles.Unreadable(number: EMFILE) }
    }
    let server = try bench.server()
    let serving = Task { try await server.run() }
    let history = try bench.history()
    defer { history.workspace.close() }
    try await eventually { bench.log.contains { $0.contains("no descriptor or memory is free") } }
    if bySignal {
      server.send(.drain(RunCanceller(means: .signal("SIGTERM"))))
    } else {
      try history.ask(.drain, for: Requester("ada"), at: .now)
    }
    try await serving.value
    #expect(try history.hosts().first?.state == .stopped)
    #expect(try history.audit().first?.action == .drain)
  }

  @Test("leaves runs in which everything waits to the next host, at once", .timeLimit(.minutes(1)))
  func resting() async throws {
    let bench = try ServerBench([
      "asking": Self.asking,
      "nested": "operations: [{ name: a, pipeline: asking.yaml }]",
    ]) { $0.drain = .seconds(3600) }
    try bench.write(
      "operations: [{ name: a, run: 'test -e \(bench.directory)/go', retry: { limit: 5, base: 1h, max: 1h } }]",
      to: "retrying")
    var runs: [RunID] = []
    try await bench.serve { _, history in
      runs = try ["asking", "nested", "retrying"].map { try bench.start($0, in: history) }
      try await eventually { try history.operations(of: runs[0]).first?.state == .waiting }
      try await eventually {
        try history.runs(RunFilter(includesNested: true)).contains { $0.parent?.run == runs[1] && $0.state == .running }
      }
      try await eventually { try history.operations(of: runs[2]).first?.state == .retrying }
    }
    #expect(bench.log.contains { $0.contains("3 runs wait and are left to the next host") }, "\(bench.log)")
    let history = try bench.history()
    #expect(try runs.map { try state($0, in: history) } == [.interrupted, .interrupted, .interrupted])
    #expect(try runs.map { try history.run($0)?.reason } == ["host-drained", "host-drained", "host-drained"])
    try await bench.serve { _, history in
      try await eventually { try history.operations(of: runs[2]).first?.state == .retrying }
      let nested = try #require(try history.runs(RunFilter(includesNested: true)).first { $0.parent?.run == runs[1] })
      for run in [runs[0], nested.id] {
        try await eventually { try !history.pendingApprovals(run).isEmpty }
        _ = try history.answerApproval(run, operation: "a", approved: true, note: nil, who: "ada")
      }
      for run in runs[..<2] { try await eventually { try state(run, in: history) == .succeeded } }
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      #expect(try history.wakeRetry(runs[2], ordinal: 0, by: Requester("ada")))
      try await eventually { try state(runs[2], in: history) == .succeeded }
    }
    #expect(try history.attempts(of: runs[2]).map(\.wakeCause) == ["wake", nil])
    let asked = try history.attempts(of: runs[0])
    #expect(asked.map(\.state) == [.cancelled, .succeeded])
    #expect(asked.map(\.error?.code) == ["host-drained", nil])
    // Nothing was tried again but what had failed.
    let retried = try history.statistics(now: .now).filter { $0.operation != nil && $0.retried > 0 }
    #expect(retried.map(\.pipeline) == ["retrying"])
    history.workspace.close()
  }

  @Test("leaves a run to the next host as soon as everything in it waits", .timeLimit(.minutes(1)))
  func restingLater() async throws {
    let bench = try ServerBench { $0.drain = .seconds(3600) }
    try bench.write(
      "operations: [{ name: a, approve: may it? }, { name: b, run: 'until [ -e \(bench.directory)/go ]; do sleep 0.01; done' }]",
      to: "both")
    var run: RunID?
    try await bench.serve { server, history in
      let started = try bench.start("both", in: history)
      run = started
      try await eventually { try history.operations(of: started).map(\.state) == [.waiting, .running] }
      server.send(.drain(RunCanceller(means: .drain)))
      try await eventually { try history.currentHost()?.state == .draining }
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      // To be told again would cancel it.
      try await eventually { try history.hosts().map(\.state) == [.stopped] }
    }
    let history = try bench.history()
    let id = try #require(run)
    #expect(try state(id, in: history) == .interrupted)
    #expect(try history.operations(of: id).map(\.state) == [.pending, .succeeded])
    history.workspace.close()
  }
}
