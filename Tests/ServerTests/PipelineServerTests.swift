import Foundation
import PipelineLanguage
import PipelineService
import PluginHost
import RunHistory
import RunReports
import Server
import Synchronization
import Testing
import Values
import Workspace

@Suite("A host")
struct PipelineServerTests {
  private static let value = "operations: [{ name: a, value: 1 }]"
  private static let asking = "operations: [{ name: a, approve: may it? }]"

  private func approve(_ run: RunID, in history: History) async throws {
    try await eventually { try !history.pendingApprovals(run).isEmpty }
    _ = try history.answerApproval(run, operation: "a", approved: true, note: nil, who: "ada")
  }

  private func state(_ run: RunID, in history: History) throws -> RunState? { try history.run(run)?.state }

  @Test("begins a requested run, and records the request in its occasion")
  func request() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try state(run, in: history) == .succeeded }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.outcome, occasion.run, occasion.askedBy) == (.request, .run, run, "ada"))
      #expect(occasion.lateMilliseconds != nil)
      #expect(try history.queue().isEmpty)
    }
    let history = try bench.history()
    #expect(try history.hosts().map(\.state) == [.stopped])
    #expect(bench.log.contains { $0.contains("turns of the event loop") })
    history.workspace.close()
  }

  @Test("begins runs that were queued while there was no host")
  func queuedBefore() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    let run = try bench.start("one", in: history)
    #expect(try state(run, in: history) == .queued)
    try await bench.serve { _, _ in try await eventually { try state(run, in: history) == .succeeded } }
    history.workspace.close()
  }

  @Test("runs a queued run with the definition that it was queued with")
  func definition() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }]"])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    let run = try bench.start("one", in: history)
    try bench.write("operations: [{ name: a, value: 2 }]", to: "one")
    try await bench.serve { _, _ in try await eventually { try state(run, in: history) == .succeeded } }
    #expect(try history.operations(of: run).first?.result == .inline("1"))
    history.workspace.close()
  }

  @Test("allows one run at a time of a pipeline that requires it, and lets others overtake")
  func overlap() async throws {
    let bench = try ServerBench(["one": "overlap: queue\n" + Self.asking, "two": Self.value])
    try await bench.serve { _, history in
      let first = try bench.start("one", in: history)
      try await eventually { try state(first, in: history) == .running }
      let second = try bench.start("one", in: history)
      let other = try bench.start("two", in: history)
      try await eventually { try state(other, in: history) == .succeeded }
      #expect(try state(second, in: history) == .queued)
      #expect(try history.queue().map(\.run) == [second])
      try await approve(first, in: history)
      try await approve(second, in: history)
      try await eventually { try state(second, in: history) == .succeeded }
    }
  }

  @Test("is the only host of its workspace, and a second one reports that")
  func alone() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, _ in
      let second = try bench.server()
      let error = await #expect(throws: ServerError.self) { try await second.run() }
      #expect(error?.description.contains("--standby") == true)
    }
  }

  @Test("on standby takes over when the other one ends")
  func standby() async throws {
    let bench = try ServerBench(["one": Self.value])
    let standingBy = try ServerBench(["one": Self.value]) { configuration in
      configuration.isStandby = true
      configuration.location = WorkspaceLocation(path: bench.directory + "/workspace", origin: .option)
    }
    let (states, sink) = AsyncStream<HostStates.State>.makeStream()
    let second = Mutex<Task<Void, any Error>?>(nil)
    let serving = Mutex<PipelineServer?>(nil)
    try await bench.serve { _, _ in
      let server = try standingBy.server(HostStates { sink.yield($0) })
      second.withLock { $0 = Task { try await server.run() } }
      for await state in states {
        guard case .standby = state else { continue }
        break
      }
      serving.withLock { $0 = server }
    }
    for await state in states where state == .ready { break }
    let history = try bench.history()
    // It serves as the first one did.
    let run = try bench.start("one", in: history)
    try await eventually { try state(run, in: history) == .succeeded }
    #expect(try history.currentHost()?.state == .ready)
    serving.withLock { $0 }?.send(.drain(RunCanceller(means: .drain)))
    try await second.withLock { $0 }?.value
    sink.finish()
    #expect(try history.hosts().map(\.state) == [.stopped, .stopped])
    history.workspace.close()
  }

  @Test("on standby ends on request")
  func standbyEnds() async throws {
    let bench = try ServerBench(["one": Self.value])
    let standingBy = try ServerBench(["one": Self.value]) { configuration in
      configuration.isStandby = true
      configuration.location = WorkspaceLocation(path: bench.directory + "/workspace", origin: .option)
    }
    try await bench.serve { _, history in
      let (states, sink) = AsyncStream<HostStates.State>.makeStream()
      let server = try standingBy.server(HostStates { sink.yield($0) })
      let serving = Task { try await server.run() }
      for await state in states {
        guard case .standby = state else { continue }
        break
      }
      // It may be told before it waits.
      try await eventually {
        server.send(.drain(RunCanceller(means: .drain)))
        return try history.currentHost()?.state == .ready
      }
      try await serving.value
      #expect(standingBy.log.last?.contains("stopped") == true)
    }
  }

  @Test("records the signals that it received, and who sent them if that is known")
  func signals() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: a, run: sleep 600 }]"]) { $0.drain = .seconds(60) }
    var user: String?
    try await bench.serve { server, history in
      let started = try bench.start("one", in: history)
      try await eventually { try state(started, in: history) == .running }
      user = try history.currentHost()?.user
      server.send(.reload(by: nil))
      server.send(.drain(RunCanceller(who: "eve", means: .signal("SIGTERM"))))
      try await eventually { try history.currentHost()?.state == .draining }
      server.send(.drain(RunCanceller(means: .signal("SIGINT"))))
      try await eventually { try state(started, in: history) == .cancelled }
    }
    let history = try bench.history()
    let entries = try history.audit().filter { $0.requester.means == .signal }.reversed()
    #expect(entries.map(\.action) == [.reload, .drain, .drain])
    #expect(entries.map(\.requester.who) == [user, "eve", user])
    #expect(entries.map(\.detail) == ["SIGHUP", "SIGTERM", "SIGINT, which cancels active runs"])
    #expect(entries.allSatisfy { $0.target == "host" })
    history.workspace.close()
  }

  @Test("handles requests in the workspace")
  func requests() async throws {
    let bench = try ServerBench(["one": Self.value])
    let server = try bench.server()
    let serving = Task { try await server.run() }
    let history = try bench.history()
    try await eventually { try history.currentHost()?.state == .ready }
    try history.ask(.drain, for: Requester("ada"), at: .now)
    try await serving.value
    #expect(bench.log.contains { $0.contains("asked by ada to drain") })
    history.workspace.close()
  }

  @Test("resumes the runs that an earlier host has left, as their pipelines say")
  func restart() async throws {
    let texts = ["resume", "fail", "leave"].map { ($0, "on_restart: \($0)\n" + Self.asking) }
    let bench = try ServerBench(Dictionary(uniqueKeysWithValues: texts))
    try await bench.serve { _, _ in }
    let history = try bench.history()
    var runs: [String: RunID] = [:]
    let recorder = HistoryRecorder(workspace: history.workspace)
    for (name, _) in texts {
      let run = try bench.start(name, in: history)
      runs[name] = run
      _ = try await recorder.takeQueued(
        QueueTurns.Places(total: 9), held: [], single: [], host: "box", at: .now)
      recorder.record(.runStarted(run, at: .now))
    }
    try await recorder.flush()
    // As if its host had ended.
    try await recorder.perform { db in
      try db.execute(sql: "UPDATE run_record SET process_started = 1 WHERE state = 'running'")
    }
    try await recorder.close()
    try await bench.serve { _, history in
      let resumed = try #require(runs["resume"])
      try await approve(resumed, in: history)
      try await eventually { try state(resumed, in: history) == .succeeded }
      #expect(try state(try #require(runs["fail"]), in: history) == .failed)
      let left = try #require(runs["leave"])
      #expect(try state(left, in: history) == .interrupted)
      try history.ask(.resume, about: left, for: Requester("ada"), at: .now)
      // Once is enough.
      try history.ask(.resume, about: left, for: Requester("eve"), at: .now)
      try await approve(left, in: history)
      try await eventually { try state(left, in: history) == .succeeded }
      let failed = try #require(runs["fail"])
      let number = try history.ask(.resume, about: failed, for: Requester("ada"), at: .now)
      try await eventually { try history.failure(ofHostRequest: number) != nil }
      #expect(try history.failure(ofHostRequest: number)?.contains("penstock retry") == true)
    }
    history.workspace.close()
  }

  @Test("resumes a run on a request to an earlier host, whatever `on_restart` of its pipeline is")
  func resumeLater() async throws {
    let bench = try ServerBench(["one": "on_restart: leave\n" + Self.asking])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    let recorder = HistoryRecorder(workspace: history.workspace)
    let run = try bench.start("one", in: history)
    _ = try await recorder.takeQueued(
      QueueTurns.Places(total: 1), held: [], single: [], host: "box", at: .now)
    recorder.record(.runStarted(run, at: .now))
    try await recorder.perform { db in
      try db.execute(sql: "UPDATE run_record SET process_started = 1 WHERE state = 'running'")
    }
    try await recorder.close()
    try history.ask(.resume, about: run, for: Requester("ada"), at: .now)
    try history.ask(.drain, for: Requester("ada"), at: .now)
    try await bench.serve { _, history in
      try await approve(run, in: history)
      try await eventually { try state(run, in: history) == .succeeded }
    }
    history.workspace.close()
  }

  @Test("retries a run on request, in its turn, and records the request in its occasion")
  func retry() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }, { name: b, run: exit 1 }]"])
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try state(run, in: history) == .failed }
      let former = try RetriedRun(named: run.text, in: history)
      guard case .host = try RunProcess(of: former.record, in: history) else {
        Issue.record("a run of the host is not repeated by it")
        return
      }
      let pipeline = try #require(try former.load(wantsRecorded: false, plugins: .none).result.pipeline)
      let start = try RunStart(repeating: former.record, with: pipeline, version: "test")
      let retry = try start.queue(in: history, for: Requester("ada"))
      try await eventually { try state(retry, in: history) == .failed }
      #expect(try history.run(retry)?.trigger == .retry)
      #expect(try history.operations(of: retry).map(\.state) == [.reused, .failed])
      let occasion = try #require(try history.occasions().first)
      #expect(occasion.cause == .retry)
      #expect(occasion.askedBy == "ada")
      #expect(occasion.run == retry)
      #expect(try history.audit().first?.target == run.text)
      let other = RunRecord(
        id: .generate(), pipeline: "one", definitionHash: "", path: "/elsewhere/one.yaml", params: "{}", host: "box",
        user: "ada", version: "test", state: .failed, createdAt: .now)
      guard case .here(_?) = try RunProcess(of: other, in: history) else {
        Issue.record("a file that the host does not serve is run by it")
        return
      }
    }
  }

  @Test("publishes the values of the conditions of its pipelines, and their changes")
  func conditions() async throws {
    let bench = try ServerBench()
    let path = bench.directory + "/open"
    try bench.write("automatic: 'file-exists(\(path))'\n" + Self.value, to: "one")
    try bench.write("automatic: never\n" + Self.value, to: "two")
    try await bench.serve { _, history in
      try await eventually { try history.publishedSpecifications().map(\.value) == [false, false] }
      try "".write(toFile: path, atomically: true, encoding: .utf8)
      try await eventually { try history.publishedSpecifications().first?.value == true }
      let changes = try history.specificationChanges(of: "one", "automatic")
      #expect(changes.map(\.value) == [true, false])
      #expect(changes.allSatisfy { $0.formula == "file-exists(\(path))" && $0.reason?.isEmpty == false })
      try bench.remove("two")
      try await eventually { try history.publishedSpecifications().map(\.pipeline) == ["one"] }
      #expect(try history.specificationChanges(of: "two", "automatic").isEmpty)
    }
    // What is as it was for the former host is no change, and a version without conditions has none.
    try bench.write(Self.value, to: "three")
    try await bench.serve { _, history in
      let since = try history.publishedSpecifications().first?.since
      try bench.write("rerun_on_change: 'file-exists(\(path).2)'\n" + Self.value, to: "three")
      try await eventually { try history.publishedSpecifications().map(\.name) == ["automatic", "rerun_on_change"] }
      #expect(try history.publishedSpecifications().first?.since == since)
      #expect(try history.specificationChanges(of: "one", "automatic").count == 2)
      try bench.write(Self.value, to: "one")
      try await eventually { try history.publishedSpecifications().map(\.pipeline) == ["three"] }
    }
    let history = try bench.history()
    #expect(try history.publishedSpecifications().map(\.pipeline) == ["three"], "what the last host saw stays")
    history.workspace.close()
  }

  // MARK: Controllers

  /// A plugin whose controller asks for runs when a test says so.
  private final class Ticks: Sendable {
    private let instances = Mutex<[FakeInstance]>([])
    var count: Int { instances.withLock(\.count) }

    func plugin() throws -> FakePlugin {
      try FakePlugin("tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]]) { instance in
        self.instances.withLock { $0.append(instance) }
      }
    }

    func ask(at instant: String? = nil) {
      var event: JSONValue = ["reason": "time"]
      if let instant { event = ["reason": "time", "instant": .string(instant)] }
      for instance in instances.withLock({ $0 }) { instance.events.yielded(.rerun(event)) }
    }
  }

  private static let controlled = "controllers: [{ uses: tick.tock }]\n"

  @Test("runs a pipeline once for each instant of a controller, whichever host receives it")
  func instants() async throws {
    let ticks = Ticks()
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog([try ticks.plugin()])), ["one": Self.controlled + Self.value])
    try await bench.serve { _, history in
      try await eventually { ticks.count == 1 }
      ticks.ask(at: "2026-11-20T03:00:00Z")
      ticks.ask(at: "2026-11-20T03:00:00Z")
      ticks.ask(at: "2026-11-21T03:00:00Z")
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 2 }
    }
    try await bench.serve { _, history in
      try await eventually { ticks.count == 2 }
      ticks.ask(at: "2026-11-21T03:00:00Z")
      ticks.ask()
      try await eventually { try history.occasions().count == 3 }
      let occasions = try history.occasions()
      #expect(occasions.map(\.cause) == [.event, .instant, .instant])
      #expect(occasions.allSatisfy { $0.controller == "tick.tock" && $0.run != nil })
    }
  }

  @Test("knows when a pipeline is due even after another one with its name has come and gone")
  func nextAfterConflict() async throws {
    let due = RecordTime.now.advanced(by: 3_600_000_000)
    let plugin = try Ticks().plugin()
    plugin.forecast.withLock {
      $0 = { _, _ in PlannedInstants(instants: [PlannedInstant(microseconds: due.microseconds)]) }
    }
    let text = "name: one\n" + Self.controlled + Self.value
    let bench = try ServerBench(plugins: .catalog(FakeCatalog([plugin])), ["one": text])
    try await bench.serve { _, history in
      func isDue() throws -> Bool { try history.publishedPipelines().map(\.nextAt) == [due] }
      try await eventually { try isDue() }
      try bench.write(text, to: "other")
      try await eventually { try history.publishedPipelines().first?.problem != nil }
      try await eventually { try isDue() }
      try bench.remove("other")
      try await eventually { try history.publishedPipelines().first?.problem == nil }
      try await eventually { try isDue() }
    }
  }

  @Test("knows the next instant after the clock was set back, and until when there is none")
  func nextAfterSetBack() async throws {
    let ticks = Ticks()
    let plugin = try ticks.plugin()
    // As if the clock had shown the second of them before.
    let start = RecordTime(microseconds: (RecordTime.now.microseconds / 1_000_000 + 3600) * 1_000_000)
    let instants = (0..<3000).map { start.advanced(by: Int64($0) * 1_000_000) }
    plugin.forecast.withLock {
      $0 = { _, question in
        let found = instants.filter {
          $0.microseconds * 1000 > question.after && $0.microseconds * 1000 <= question.until
        }
        return PlannedInstants(
          instants: found.prefix(question.limit).map { PlannedInstant(microseconds: $0.microseconds) },
          hasMore: found.count > question.limit)
      }
    }
    let bench = try ServerBench(plugins: .catalog(FakeCatalog([plugin])), ["one": Self.controlled + Self.value])
    try await bench.serve { _, history in
      func isNext(_ index: Int) throws -> Bool { try published("one", in: history)?.nextAt == instants[index] }
      try await eventually { try isNext(0) }
      ticks.ask(at: instants[0].text)
      try await eventually { try isNext(1) }
      let words =
        "nothing is due until \(ClockText.dateAndTime(instants[0])): the instants before that had passed when the clock was set back"
      // Its run has ended then.
      try await eventually { try StatusReport(of: ["one"], in: history).entries.first?.reason == words }
      // One that was passed over comes first.
      for index in 2..<1010 {
        ticks.ask(at: instants[index].text)
        guard index % 100 == 9 else { continue }
        try await eventually { try history.latestInstant(of: "one") == instants[index] }
      }
      try await eventually { try isNext(1) }
      #expect(try StatusReport(of: ["one"], in: history).entries.first?.reason?.contains("until") != true)
      ticks.ask(at: instants[1].text)
      try await eventually { try isNext(1010) }
    }
  }

  @Test("begins runs that were requested during a pause when the pause expires")
  func endOfPause() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      let end = RecordTime.now.advanced(by: 300_000)
      try history.pause([Pause(pipeline: "one", until: end, since: .now)])
      let run = try bench.start("one", in: history)
      try await eventually { try state(run, in: history) == .succeeded }
      #expect(try #require(try history.run(run)?.startedAt) >= end)
    }
  }

  @Test("records instants of a paused pipeline, with who paused it")
  func paused() async throws {
    let ticks = Ticks()
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog([try ticks.plugin()])), ["one": Self.controlled + Self.value])
    try await bench.serve { _, history in
      try await eventually { ticks.count == 1 }
      try history.pause([Pause(pipeline: "one", reason: "moving", who: "ada", since: .now)])
      ticks.ask()
      try await eventually { try history.occasions().count == 1 }
      #expect(try history.occasions().first?.reason == .paused)
      #expect(try history.runs(RunFilter()).isEmpty)
      #expect(try history.unpause(["one"], for: Requester("ada"), at: .now) == ["one"])
      ticks.ask()
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 1 }
    }
  }

  @Test("does not queue more than its limits, and says so")
  func full() async throws {
    let ticks = Ticks()
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog([try ticks.plugin()])),
      ["one": Self.controlled + "operations: [{ name: a, run: sleep 1000 }]"]
    ) { configuration in
      configuration.limits.runs = 1
      configuration.limits.queued = 2
    }
    try await bench.serve { _, history in
      try await eventually { ticks.count == 1 }
      ticks.ask()
      try await eventually { try history.runs(RunFilter(states: [.running])).count == 1 }
      for _ in 0..<5 { ticks.ask() }
      try await eventually { try history.occasions().count == 6 }
      #expect(try history.occasions().count { $0.reason == .queueFull } == 3)
      #expect(try history.queue().count == 2)
    }
  }

  // MARK: Files

  private func published(_ name: String, in history: History) throws -> PublishedPipeline? {
    try history.publishedPipelines().first { $0.name == name }
  }

  @Test("keeps the last valid version of a file with errors, and says what is wrong")
  func badEdit() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      try bench.write("operations: [{ name: a, vlaue: 1 }]", to: "one")
      try await eventually { try published("one", in: history)?.problem != nil }
      let entry = try #require(try published("one", in: history))
      #expect(entry.isLoaded)
      #expect(entry.problem?.contains("vlaue") == true)
      #expect(bench.log.contains { $0.contains("its last good version stays in effect") })
      try bench.write("operations: [{ name: a, value: 3 }]", to: "one")
      try await eventually { try published("one", in: history)?.problem == nil }
      let run = try bench.start("one", in: history)
      try await eventually { try state(run, in: history) == .succeeded }
      #expect(try history.operations(of: run).first?.result == .inline("3"))
    }
  }

  @Test("notices files that are added, removed or have the same name")
  func files() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      try bench.write(Self.value, to: "two")
      try await eventually { try published("two", in: history) != nil }
      try bench.write("name: one\n" + Self.value, to: "three")
      try await eventually { try published("one", in: history)?.problem != nil }
      let entry = try #require(try published("one", in: history))
      #expect(entry.isLoaded)
      #expect(entry.problem?.contains("one.yaml") == true && entry.problem?.contains("three.yaml") == true)
      try bench.remove("three")
      try await eventually { try published("one", in: history)?.problem == nil }
      try bench.remove("two")
      try await eventually { try published("two", in: history) == nil }
    }
  }

  @Test("notices a file that is written after it was first read and before it is watched")
  func editDuringStart() async throws {
    let file = Mutex<String?>(nil)
    let bench = try ServerBench(
      ["one": "operations: ["],
      onLog: { line in
        guard line.contains("'one' is invalid"), let path = file.withLock({ $0.take() }) else { return }
        // In place, as a shell does it, which leaves the folder as it was.
        let handle = FileHandle(forWritingAtPath: path)
        handle?.write(Data((Self.value + "\n").utf8))
        try? handle?.close()
      })
    file.withLock { $0 = "\(bench.folder)/one.yaml" }
    try await bench.serve { _, history in
      try await eventually { try published("one", in: history)?.isLoaded == true }
      #expect(file.withLock { $0 } == nil)
      #expect(bench.log.contains { $0.contains("'one' is valid again") })
    }
  }

  @Test("rejects a workspace on a network file system, and creates none there")
  func network() async throws {
    let bench = try ServerBench(["one": Self.value]) { $0.computer.networkFileSystem = { _ in "NFS" } }
    let error = try #require(throws: ServerError.self) { _ = try bench.server() }
    #expect(error.code == "workspace-on-network")
    #expect(error.description.contains("workspace' is on a network file system (NFS)"))
    #expect(!FileManager.default.fileExists(atPath: bench.directory + "/workspace"))
  }

  @Test("is not affected by invalid files, dangling links or unreadable folders")
  func garbage() async throws {
    let bench = try ServerBench(["one": Self.value])
    try Data((0..<4096).map { _ in UInt8.random(in: 0...255) }).write(
      to: URL(fileURLWithPath: bench.folder + "/garbage.yaml"))
    try FileManager.default.createSymbolicLink(
      atPath: bench.folder + "/link.yaml", withDestinationPath: "/nowhere/x.yaml")
    try FileManager.default.createSymbolicLink(atPath: bench.folder + "/loop", withDestinationPath: bench.folder)
    try bench.write("operations: [", to: "_draft")
    try await bench.serve { _, history in
      #expect(try published("garbage", in: history)?.isLoaded == false)
      #expect(bench.log.contains { $0.contains("link.yaml") })
      #expect(try history.publishedPipelines().map(\.name) == ["garbage", "link", "one"])
      let run = try bench.start("one", in: history)
      try await eventually { try state(run, in: history) == .succeeded }
    }
  }
}
