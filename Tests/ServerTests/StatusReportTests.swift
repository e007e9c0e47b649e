import Foundation
import PipelineLanguage
import PluginHost
import RunHistory
import RunReports
import Server
import Synchronization
import Testing
import Workspace

@Suite("The status of a pipeline")
struct StatusReportTests {
  private static let working = "operations: [{ name: work, run: exec sleep 60 }]\n"

  private func entry(_ name: String, in history: History, at now: RecordTime = .now) throws -> StatusReport.Entry {
    try #require(try StatusReport(of: [name], in: history, at: now).entries.first)
  }

  private func sentences(_ name: String, in history: History) throws -> [String] {
    try #require(try PipelineExplanation(of: name, in: history)).sentences
  }

  @Test("names the operation that waits for an answer, and the command that answers it")
  func approval() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: ask, approve: may it? }]"])
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try !history.pendingApprovals(run).isEmpty }
      let command = "`penstock approve \(short(run, in: history)) ask`"
      #expect(
        try entry("one", in: history).reason
          == "run \(short(run, in: history)): 'ask' waits for approval: may it?; \(command)")
      #expect(
        try sentences("one", in: history).contains(
          "Run \(short(run, in: history)): 'ask' waits for approval: may it?; \(command) answers it."))
    }
  }

  @Test("names the operation that made the latest run fail, until a run succeeds")
  func failed() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }, { name: b, run: test -e ../ok }]"])
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .failed }
      let entry = try entry("one", in: history)
      #expect(entry.state == "idle")
      #expect(
        entry.reason == "run \(short(run, in: history)) failed in 'b'; `penstock explain \(short(run, in: history))`")
      #expect(
        try sentences("one", in: history).contains(
          "The latest finished run, \(short(run, in: history)), failed in 'b'; see `penstock explain \(short(run, in: history))` and `penstock logs \(short(run, in: history)) b`."
        ))
      try bench.write("operations: [{ name: a, value: 1 }]", to: "one")
      try await eventually {
        let run = try bench.start("one", in: history)
        try await eventually { try history.run(run)?.state.isFinal == true }
        return try history.run(run)?.state == .succeeded
      }
      #expect(try self.entry("one", in: history).reason == nil)
    }
  }

  @Test("says for which resources a run waits, and which runs hold them")
  func resources() async throws {
    let using = "operations: [{ name: use, run: exec sleep 60, resources: { gpu: 1 } }]"
    let bench = try ServerBench(["one": using, "two": using]) { configuration in
      configuration.use(
        HostDefinition.load(text: "resources: { gpu: 1 }\ndrain: 0s", path: "host.yaml").host ?? HostDefinition())
    }
    try await bench.serve { _, history in
      let holder = try bench.start("one", in: history)
      try await eventually { try history.operations(of: holder).contains { $0.state == .running } }
      let run = try bench.start("two", in: history)
      let text = "'use' waits for gpu, held by 'use' of run \(short(holder, in: history))"
      try await eventually { try entry("two", in: history).reason == "run \(short(run, in: history)): \(text)" }
      #expect(try sentences("two", in: history).contains("Run \(short(run, in: history)): \(text)."))
    }
  }

  @Test("says for which exclusive name a run waits, and which run holds it")
  func exclusive() async throws {
    let using = "operations: [{ name: use, run: exec sleep 60, exclusive: disk }]"
    let bench = try ServerBench(["one": using, "two": using])
    try await bench.serve { _, history in
      let holder = try bench.start("one", in: history)
      try await eventually { try history.operations(of: holder).contains { $0.state == .running } }
      let run = try bench.start("two", in: history)
      let text = "'use' waits for 'disk', held by operation 'use' of run \(short(holder, in: history))"
      try await eventually { try entry("two", in: history).reason == "run \(short(run, in: history)): \(text)" }
    }
  }

  @Test("says what is wrong with a file, and that its pipeline is paused, even while that runs")
  func everything() async throws {
    let bench = try ServerBench(["one": Self.working]) { $0.drain = .zero }
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .running }
      try history.pause([Pause(pipeline: "one", reason: "moving", since: .now)])
      try bench.write("operations: 1", to: "one")
      try await eventually { try entry("one", in: history).pipeline.problem != nil }
      let status = try entry("one", in: history)
      #expect(status.state == "running")
      let problem = try #require(status.pipeline.problem?.split(separator: "\n").first)
      #expect(status.reason == "invalid file: \(problem); run \(short(run, in: history)); paused: moving")
      #expect(status.doing == "run \(short(run, in: history))")
    }
  }

  @Test("says what is wrong with a file even while its pipeline is paused")
  func pausedAndInvalid() async throws {
    let bench = try ServerBench(["one": Self.working])
    try await bench.serve { _, history in
      try history.pause([Pause(pipeline: "one", since: .now)])
      try bench.write("operations: 1", to: "one")
      try await eventually { try entry("one", in: history).pipeline.problem != nil }
      let status = try entry("one", in: history)
      #expect(status.state == "paused")
      #expect(status.reason?.hasPrefix("invalid file: ") == true)
      #expect(status.reason?.hasSuffix("; paused") == true)
    }
  }

  @Test(
    "says what a run waits for if it continues by itself",
    arguments: [
      ("gate", "{ name: go, run_when: file-exists(ready), value: 1 }", "'go' waits for file-exists(ready): "),
      ("wait", "{ name: go, wait: 1h }", "'go' waits until "),
      ("retry", "{ name: go, run: exit 7, retry: { limit: 1, base: 1h } }", "'go' waits for a retry until "),
    ])
  func goesOnByItself(kind: String, operation: String, text: String) async throws {
    let bench = try ServerBench(["one": "operations: [\(operation)]"]) { $0.drain = .zero }
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      let beginning = "run \(short(run, in: history)): \(text)"
      try await eventually { try entry("one", in: history).reason?.hasPrefix(beginning) == true }
      let reason = try #require(try entry("one", in: history).reason)
      let sentence = try sentences("one", in: history).first { $0.hasPrefix("Run \(short(run, in: history)): \(text)") }
      #expect(sentence != nil)
      guard kind == "retry" else { return }
      #expect(reason.contains(" (attempt 2 of 2): "))
      #expect(sentence?.hasSuffix("; `penstock wake \(short(run, in: history)) go` tries it now.") == true)
    }
  }

  @Test("names the operation of a nested run by its path, and lists waits for a person first")
  func nestedWait() async throws {
    let inner = "operations: [{ name: nap, wait: 1h }, { name: ask, approve: may it? }]"
    let bench = try ServerBench(["one": "operations: [{ name: outer, pipeline: _parts/inner.yaml }]"]) {
      $0.drain = .zero
    }
    try FileManager.default.createDirectory(atPath: bench.folder + "/_parts", withIntermediateDirectories: true)
    try bench.write(inner, to: "_parts/inner")
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      // What the run is called is longer once there is a nested one whose id begins alike.
      func isSaid(_ text: String, by sentences: [String]) -> Bool {
        sentences.contains { $0.lowercased().hasPrefix("run \(short(run, in: history)): \(text)") }
      }
      try await eventually {
        isSaid("'outer/ask' waits for approval: may it?", by: [try entry("one", in: history).reason ?? ""])
      }
      try await eventually { isSaid("'outer/nap' waits until ", by: try sentences("one", in: history)) }
    }
  }

  @Test("says which condition prevents it from running, and that `automatic: never` is only started by users")
  func conditions() async throws {
    let bench = try ServerBench([
      "one": "automatic: file-exists(flag)\n" + Self.working,
      "never": "automatic: never\nrerun_on_change: file-exists(flag)\n" + Self.working,
    ])
    try await bench.serve { _, history in
      try await eventually { try history.publishedSpecifications().count == 3 }
      let reason = try #require(try history.publishedSpecifications().first { $0.pipeline == "one" }?.reason)
      #expect(
        try sentences("one", in: history) == [
          "It is started by: automatic: file-exists(flag).",
          "`automatic` is false: file-exists(flag) (\(reason)), so neither an edit nor `rerun_on_change` starts it.",
        ])
      #expect(try entry("never", in: history).next == .request)
      let sentences = try sentences("never", in: history)
      #expect(sentences.first == "It has no trigger; start it with `penstock start never`.")
      #expect(sentences.contains { $0.hasPrefix("`automatic` is false: never") })
    }
  }

  @Test("says that the host cannot write because the disk is full")
  func fullDisk() async throws {
    let bench = try ServerBench(["one": Self.working])
    let history = try bench.history()
    defer { history.workspace.close() }
    let grade = Mutex(Checkup.Finding.Grade.warn)
    let disk: @Sendable (String) -> Checkup.Finding? = { _ in
      Checkup.Finding(grade: grade.withLock(\.self), subject: "disk", message: "0 bytes free at /x")
    }
    let former = try StatusReport(of: [], in: history, disk: disk)
    #expect(former.problems.isEmpty)
    #expect(try !former.isOutdated(in: history))
    grade.withLock { $0 = .fail }
    #expect(try former.isOutdated(in: history))
    let report = try StatusReport(of: [], in: history, disk: disk)
    #expect(report.problems == ["disk: 0 bytes free at /x"])
    #expect(report.jsonValue(of: [])["problems"] == ["disk: 0 bytes free at /x"])
    #expect(try !report.isOutdated(in: history))
  }

  @Test("says how many runs are in progress, and names them")
  func several() async throws {
    let bench = try ServerBench(["one": Self.working])
    try await bench.serve { _, history in
      let runs = try (0..<4).map { _ in try bench.start("one", in: history) }
      try await eventually { try StatusReport(of: [], in: history).running == 4 }
      let names = try runs.prefix(3).map { try history.shortForm(of: $0) }.joined(separator: ", ")
      #expect(try entry("one", in: history).reason == "4 runs: \(names), …")
      #expect(try sentences("one", in: history).contains("4 runs are active: \(names) and 1 more."))
    }
  }

  @Test("says that a run is interrupted, with the command that resumes it, and that there is no host")
  func interrupted() async throws {
    let bench = try ServerBench(["one": "on_restart: leave\n" + Self.working])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try entry("one", in: history).reason == "no host serves it")
    let recorder = HistoryRecorder(workspace: history.workspace)
    let run = try bench.start("one", in: history)
    #expect(try entry("one", in: history).reason == "1 run waits: no host serves it")
    _ = try await recorder.takeQueued(QueueTurns.Places(total: 1), held: [], single: [], host: "box", at: .now)
    recorder.record(.runStarted(run, at: .now))
    try await recorder.perform { try $0.execute(sql: "UPDATE run_record SET process_started = 1") }
    try await recorder.close()
    try history.markInterrupted()
    #expect(
      try entry("one", in: history).reason
        == "run \(short(run, in: history)) is interrupted; `penstock resume \(short(run, in: history))`")
    #expect(
      try sentences("one", in: history).contains(
        "Run \(short(run, in: history)) is interrupted: its host ended before the run did; `penstock resume \(short(run, in: history))` continues it."
      ))
  }

  @Test("shows the next time only if a host would begin a run then")
  func next() async throws {
    let bench = try ServerBench(["one": Self.working, "never": "operations: 1"]) { $0.drain = .seconds(20) }
    let due = RecordTime.now.advanced(by: .seconds(3600))
    func next(_ name: String = "one", in history: History) throws -> (RecordTime?, String) {
      let next = try entry(name, in: history).next
      return (next.time, next.words)
    }
    try await bench.serve { server, history in
      // What has just come up is not published yet.
      try history.publishNext([("one", .now, "cron")])
      #expect(try next(in: history) == (nil, "cron"))
      HostNote(in: history.workspace.directory).write(since: .now, because: "no room")
      let past = RecordTime(microseconds: 1_800_000_000)
      try history.publishNext([("one", past, "cron")])
      #expect(try next(in: history) == (nil, "was due \(ClockText.dateAndTime(past))"))
      #expect(try entry("one", in: history).reason == "the host cannot write")
      HostNote(in: history.workspace.directory).remove()
      try history.publishNext([("one", due, "cron")])
      #expect(try next(in: history) == (due, ClockText.dateAndTime(due)))
      #expect(try sentences("one", in: history) == ["It is due next at \(ClockText.dateAndTime(due))."])
      #expect(try next("never", in: history) == (nil, "when its file is correct"))
      #expect(try sentences("never", in: history).count == 1)
      #expect(try history.nextDue(at: .now)?.name == "one")
      try history.pause([Pause(pipeline: "one", until: due.advanced(by: .seconds(-1)), since: .now)])
      #expect(try next(in: history).0 == due)
      #expect(try history.nextDue(at: .now)?.name == "one")
      let end = due.advanced(by: .seconds(1))
      try history.pause([Pause(pipeline: "one", until: end, since: .now)])
      #expect(try next(in: history) == (nil, "after \(ClockText.dateAndTime(end))"))
      #expect(try entry("one", in: history).reason == "paused until \(ClockText.dateAndTime(end))")
      #expect(try history.nextDue(at: .now) == nil)
      try history.pause([Pause(pipeline: "one", since: .now)])
      #expect(try next(in: history) == (nil, "when unpaused"))
      _ = try history.unpause(["one"], for: Requester("ada"), at: .now)
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .running }
      server.send(.drain(RunCanceller(means: .drain)))
      try await eventually { try history.currentHost()?.state == .draining }
      #expect(try next(in: history) == (nil, "with the next host"))
      #expect(
        try sentences("one", in: history).contains(
          "The host is draining: nothing starts until the next host serves the workspace."))
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try next(in: history) == (nil, "when a host serves it"))
    #expect(try next("never", in: history) == (nil, "when its file is correct"))
    #expect(
      try sentences("one", in: history).first
        == "No host serves the workspace, so nothing starts it; start one with `penstock serve`.")
  }

  @Test("does not attribute a left-out occasion to another run")
  func obstacle() {
    var occasion = Occasion(pipeline: "one", cause: .instant, askedAt: .now)
    let run = RunID.generate()
    (occasion.outcome, occasion.reason, occasion.run) = (.skipped, .overlap, run)
    #expect(occasion.ownRun == nil)
    #expect(occasion.because { $0.short } == "run \(run.short) was in progress or queued")
  }

  @Test("says which controller fails, since when and why, until another version begins")
  func failingController() async throws {
    let failure = PluginFailure(code: "plugin-crashed", message: "plugin 'tick' crashed: SIGSEGV")
    let plugin = try FakePlugin("tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]]) {
      // As one in a process of its own.
      $0.events.interrupted(by: failure, pause: .seconds(1))
      $0.events.resumed()
    }
    let text = "controllers: [{ uses: tick.tock }]\noperations: [{ name: a, value: 1 }]"
    let bench = try ServerBench(plugins: .catalog(FakeCatalog([plugin])), ["one": text])
    try await bench.serve { _, history in
      try await eventually { try !history.publishedControllerProblems().isEmpty }
      let problem = try #require(try history.publishedControllerProblems().first)
      let words =
        "controller 'tick.tock' has been failing since \(ClockText.dateAndTime(problem.since)): plugin 'tick' crashed: SIGSEGV"
      #expect(try entry("one", in: history).reason == words)
      #expect(
        try sentences("one", in: history).contains(
          "Its \(words); it is restarted each time, and counts as healthy after a minute without a failure."))
      try bench.write("operations: [{ name: a, value: 1 }]", to: "one")
      try await eventually { try history.publishedControllerProblems().isEmpty }
      #expect(try entry("one", in: history).reason == nil)
      try bench.write(text, to: "one")
      try await eventually { try !history.publishedControllerProblems().isEmpty }
    }
    let history = try bench.history()
    #expect(try history.publishedControllerProblems().isEmpty)
    history.workspace.close()
  }

  @Test("says which secret a run reads before it begins")
  func secret() async throws {
    let bench = try ServerBench()
    let command = "until test -e \(bench.directory)/go; do sleep 0.01; done; echo sesame"
    try bench.write(
      "secrets: { token: { command: [sh, -c, '\(command)'] } }\noperations: [{ name: a, value: 1 }]", to: "one")
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.preparation == .readsSecret("token") }
      #expect(
        try QueueReport(run: run, in: history).places.map(\.reason) == ["its secret 'token', which it is reading"])
      #expect(try entry("one", in: history).reason == "run \(short(run, in: history)) is reading its secret 'token'")
      let recorded = try #require(try history.loadForResume(run))
      let explanation = RunExplanation(of: recorded, pipeline: nil, operation: nil, shortID: "X")
      #expect(
        explanation.entries.first?.because.prefix(2) == [
          "it is reading its secret 'token'", "it begins once the secret has been read",
        ])
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      try await eventually { try history.run(run)?.state == .succeeded }
      #expect(try history.run(run)?.reason == nil)
    }
  }
}
