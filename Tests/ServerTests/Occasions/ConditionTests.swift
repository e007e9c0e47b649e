import Foundation
import RunHistory
import Testing

@Suite("Conditions of a served pipeline")
struct ConditionTests {
  private static let value = "operations: [{ name: a, value: 1 }]"

  private func touch(_ name: String, in bench: ServerBench) {
    #expect(FileManager.default.createFile(atPath: bench.folder + "/" + name, contents: nil))
  }

  @Test("start a run when they become true, and are recorded with it")
  func condition() async throws {
    let bench = try ServerBench()
    try bench.write(
      "automatic: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      #expect(try history.occasions().isEmpty)
      #expect(FileManager.default.createFile(atPath: bench.folder + "/flag", contents: nil))
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect(occasion.cause == .condition)
      let words = "automatic is true: file-exists(flag) (\(bench.folder)/flag has existed since "
      #expect(occasion.detail?.hasPrefix(words) == true)
    }
    // To be served again is no reason to run again.
    try await bench.serve { _, history in
      try bench.start("one", in: history)
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 2 }
      #expect(try history.occasions().map(\.cause) == [.request, .condition])
    }
  }

  @Test("that detect changes become true once for changes while no host was running")
  func meanwhile() async throws {
    let bench = try ServerBench()
    touch("here", in: bench)
    try bench.write("rerun_on_change: changed(inbox) || file-exists(here)\n" + Self.value, to: "level")
    try bench.write("rerun_on_change: changed(inbox)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      // The next host goes by what this one has published.
      try await eventually { try Set(history.publishedSpecifications().map(\.pipeline)) == ["level", "one"] }
    }
    touch("inbox", in: bench)
    for _ in 0..<2 {
      try await bench.serve { _, history in
        try await eventually { try history.runs(RunFilter(pipeline: "one", states: [.succeeded])).count == 1 }
        let occasion = try #require(try history.occasions().first)
        #expect(occasion.detail?.hasPrefix("rerun_on_change is true: changed(inbox) (") == true)
        // What is true of the present, now as before, has not turned true.
        #expect(try history.occasions().map(\.pipeline) == ["one"])
      }
    }
    // What changed before this formula was there is not new to it.
    try bench.write("rerun_on_change: changed(./inbox)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      touch("other", in: bench)
      try bench.start("level", in: history)
      try await eventually { try history.runs(RunFilter(pipeline: "level", states: [.succeeded])).count == 1 }
      #expect(try history.occasions().map(\.cause) == [.request, .condition])
    }
  }

  @Test("can become true again after their run was cancelled in the queue")
  func cancelledInQueue() async throws {
    let bench = try ServerBench { $0.limits.runs = 1 }
    try bench.write(
      "operations: [{ name: a, run: 'until [ -e \(bench.directory)/go ]; do sleep 0.01; done' }]", to: "busy")
    try bench.write("rerun_on_change: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      let busy = try bench.start("busy", in: history)
      try await eventually { try history.run(busy)?.state == .running }
      touch("flag", in: bench)
      try await eventually { try history.queue().map(\.pipeline) == ["one"] }
      let queued = try #require(try history.queue().first?.run)
      _ = try history.request(.cancel, of: queued, for: RunCanceller(who: "ada", means: .command))
      try await eventually { try history.run(queued)?.state == .cancelled }
      try FileManager.default.removeItem(atPath: bench.folder + "/flag")
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      try await eventually { try history.run(busy)?.state == .succeeded }
      touch("flag", in: bench)
      try await eventually { try history.runs(RunFilter(pipeline: "one", states: [.succeeded])).count == 1 }
    }
  }

  @Test("that become true while `automatic` is false are recorded with that as the reason")
  func notAutomatic() async throws {
    let bench = try ServerBench()
    try bench.write("automatic: file-exists(allowed)\nrerun_on_change: file-exists(flag)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      touch("flag", in: bench)
      try await eventually { try history.occasions().count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.outcome, occasion.reason) == (.condition, .skipped, .notAutomatic))
      let detail = try #require(occasion.detail)
      #expect(detail.hasPrefix("rerun_on_change is true: file-exists(flag) (\(bench.folder)/flag has existed since "))
      let words = "; automatic is false: file-exists(allowed) (\(bench.folder)/allowed does not exist)"
      #expect(detail.hasSuffix(words))
      #expect(try history.runs(RunFilter()).isEmpty)
      // What decides now is that it is allowed to begin.
      touch("allowed", in: bench)
      try await eventually { try history.occasions().count == 2 }
      let first = try #require(try history.occasions().first)
      #expect(first.detail?.hasPrefix("automatic is true: file-exists(allowed) (") == true)
    }
  }

  @Test("that become true while a success of an earlier host is still valid are recorded with that as the reason")
  func notStale() async throws {
    let bench = try ServerBench()
    try bench.write("rerun_on_change: file-exists(flag)\nstale_when: older-than(1h)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .succeeded }
    }
    try await bench.serve { _, history in
      touch("flag", in: bench)
      try await eventually { try history.occasions().count == 2 }
      let occasion = try #require(try history.occasions().first)
      #expect((occasion.cause, occasion.outcome, occasion.reason) == (.condition, .skipped, .notStale))
      let detail = try #require(occasion.detail)
      #expect(detail.hasPrefix("rerun_on_change is true: file-exists(flag) (\(bench.folder)/flag has existed since "))
      #expect(detail.contains("; stale_when of the latest success is false: older-than(1h) (it is from "))
      #expect(try history.runs(RunFilter()).count == 1)
    }
  }

  @Test("that become true by one change of a file are one occasion, however often the kernel reports it")
  func oneChange() async throws {
    let bench = try ServerBench()
    touch("input", in: bench)
    try bench.write("automatic: file-exists(allowed)\nrerun_on_change: changed(input)\n" + Self.value, to: "one")
    for flag in ["first", "second"] {
      try bench.write("rerun_on_change: file-exists(\(flag))\n" + Self.value, to: "with-\(flag)")
    }
    try await bench.serve { _, history in
      for (round, flag) in ["first", "second"].enumerated() {
        // As `touch` does: its time is set, and it is closed.
        let descriptor = open(bench.folder + "/input", O_WRONLY)
        #expect(futimens(descriptor, nil) == 0)
        close(descriptor)
        // What is told of the file is told before that of the flag.
        touch(flag, in: bench)
        try await eventually {
          try history.runs(RunFilter(pipeline: "with-\(flag)", states: [.succeeded])).count == 1
        }
        let occasions = try history.occasions().filter { $0.pipeline == "one" }
        #expect(occasions.map(\.reason) == Array(repeating: .notAutomatic, count: round + 1))
        #expect(
          occasions.first?.detail?.hasPrefix(
            "rerun_on_change is true: changed(input) (\(bench.folder)/input last changed at")
            == true)
      }
    }
  }

  @Test("say why they are false again after the run that a change started")
  func reasonAfterRun() async throws {
    let bench = try ServerBench()
    touch("input", in: bench)
    try bench.write("rerun_on_change: changed(input)\n" + Self.value, to: "one")
    try await bench.serve { _, history in
      #expect(utimes(bench.folder + "/input", nil) == 0)
      let changes = { try history.specificationChanges(of: "one", "rerun_on_change") }
      try await eventually { try changes().count == 3 }
      #expect(try changes().map(\.value) == [false, true, false])
      let path = bench.folder + "/input"
      let words = ["\(path) has not changed since ", "\(path) last changed at ", "\(path) has not changed since "]
      for (change, words) in zip(try changes(), words) {
        #expect(change.reason?.hasPrefix(words) == true, "\(change)")
      }
    }
  }
}
