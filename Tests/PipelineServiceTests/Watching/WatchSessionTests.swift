import PipelineLanguage
import Testing

@testable import PipelineService

@Suite("A watched pipeline", .timeLimit(.minutes(2))) struct WatchSessionTests {
  private func text(_ name: String, _ keys: String = "") -> String {
    "name: \(name)\n\(keys)\noperations: [{ name: a, value: 1 }]\n"
  }

  @Test("It runs immediately, and again when its file changes")
  func reload() async throws {
    let bench = try WatchBench(text("one"))
    try await bench.watch {
      #expect(await bench.log.next(3) == ["one begins", "one succeeded", "waits for test.yaml"])
      try bench.write(text("two"))
      #expect(
        await bench.log.next(4) == ["test.yaml has changed", "two begins", "two succeeded", "waits for test.yaml"])
    }
  }

  @Test("A file changed during a run is reloaded after the end of the run")
  func reloadInARun() async throws {
    let (goesOn, go) = AsyncStream<Void>.makeStream()
    let log = WatchLog { for await _ in goesOn { break } }
    let bench = try WatchBench(text("one"), log: log)
    try await bench.watch {
      #expect(await log.next(1) == ["one begins"])
      try bench.write(text("two"))
      go.yield()
      var seen = await log.next(3)
      // Whether the change is noticed before the end of the run depends on timing.
      if seen[1] == "waits for test.yaml" { seen = [seen[0], seen[2]] + (await log.next(1)) }
      #expect(seen == ["one succeeded", "test.yaml has changed", "two begins"])
      go.finish()
      #expect(await log.next(2) == ["two succeeded", "waits for test.yaml"])
      #expect(log.mostAtOnce == 1)
    }
  }

  @Test("An error in the file is reported, and the corrected file runs")
  func mistakes() async throws {
    let bench = try WatchBench(text("one"))
    try await bench.watch {
      _ = await bench.log.next(3)
      try bench.write("operations: [{ name: a, valeu: 1 }]")
      let seen = await bench.log.next(3)
      #expect(seen[0] == "test.yaml has changed")
      #expect(seen[1].hasPrefix("refused: unknown-key"))
      #expect(seen[2] == "waits for a correction of test.yaml")
      try bench.write(text("two"))
      #expect(await bench.log.next(3) == ["test.yaml has changed", "two begins", "two succeeded"])
    }
  }

  @Test("A deleted file is reported, and runs when it exists again")
  func disappearance() async throws {
    let bench = try WatchBench(text("one"))
    try await bench.watch {
      _ = await bench.log.next(3)
      try bench.remove()
      #expect(
        await bench.log.next(3) == [
          "test.yaml has changed", "refused: file-not-found", "waits for a correction of test.yaml",
        ])
      try bench.write(text("two"))
      #expect(await bench.log.next(3) == ["test.yaml has changed", "two begins", "two succeeded"])
    }
  }

  @Test("A condition that becomes true runs it again, and is reported")
  func conditions() async throws {
    let bench = try WatchBench(text("one", "rerun_on_change: file-exists(go)"))
    try await bench.watch {
      #expect(await bench.log.next(2) == ["one begins", "one succeeded"])
      #expect(await bench.log.next(1) == ["waits for test.yaml, file-exists(go)"])
      bench.create("go")
      #expect(await bench.log.next(3) == ["file-exists(go) is true", "one begins", "one succeeded"])
    }
  }

  @Test("It waits until `automatic` allows a run, unless one is requested", arguments: [false, true])
  func automatic(startsNow: Bool) async throws {
    let bench = try WatchBench(text("one", "automatic: file-exists(go)"), startsNow: startsNow)
    try await bench.watch {
      if !startsNow {
        #expect(await bench.log.next(1) == ["waits for test.yaml, file-exists(go)"])
        bench.create("go")
      }
      #expect(await bench.log.next(2) == ["one begins", "one succeeded"])
    }
  }

  @Test("A request applies to one run: a changed file waits for `automatic` again")
  func asksOnce() async throws {
    let bench = try WatchBench(text("one", "automatic: file-exists(go)"), startsNow: true)
    try await bench.watch {
      _ = await bench.log.next(3)
      try bench.write(text("two", "automatic: file-exists(go)"))
      #expect(
        await bench.log.next(2) == ["test.yaml has changed", "waits for test.yaml, file-exists(go)"])
    }
  }

  @Test("A controller starts runs, each with its event")
  func controllers() async throws {
    let plugin = try FakePlugin("tick", offers: [["kind": "controller", "id": "tick.tock"]]) { instance in
      for number in 1...2 {
        instance.events.yielded(.rerun(["reason": .string("reason \(number)")]))
      }
    }
    let bench = try WatchBench(
      text("one", "controllers: [{ uses: tick.tock }]"), plugins: .catalog(FakeCatalog([plugin])))
    try await bench.watch {
      #expect(
        await bench.log.next(6) == [
          "tick.tock asks: reason 1", "one begins", "one succeeded for tick.tock",
          "tick.tock asks: reason 2", "one begins", "one succeeded for tick.tock",
        ])
      #expect(await bench.log.next(1) == ["waits for test.yaml, tick.tock"])
      #expect(bench.log.mostAtOnce == 1)
    }
  }
}
