import Foundation
import PipelineService
import RunHistory
import RunReports
import Server
import Testing

@Suite("A pipeline that a host cannot use", .timeLimit(.minutes(1)))
struct UnusablePipelineTests {
  private static let value = "operations: [{ name: a, value: 1 }]"
  private static let unattended = """
    params: { n: { type: int } }
    automatic: file-exists(flag)
    \(value)
    """

  private func message(_ name: String, in history: History) throws -> String {
    let error = try #require(throws: ServedPipelineError.self) { _ = try history.servedPipeline(name) }
    return error.description
  }

  // MARK: None at all

  @Test("is not reported as lacking a host if a host finds or found no pipelines")
  func noPipelines() async throws {
    let bench = try ServerBench()
    let elsewhere = "; to use another workspace, pass --workspace or set PENSTOCK_WORKSPACE"
    try await bench.serve { _, history in
      let host = try #require(try history.currentHost())
      let reason = "the host in process \(host.owner.pid) on \(host.host) finds no pipeline in its paths"
      #expect(try message("x", in: history).hasSuffix("; " + reason + elsewhere))
      let error = ServedPipelineError.nothingServed(workspace: "w", by: host)
      #expect(error.description == "no pipeline is served in the workspace 'w'; " + reason + elsewhere)
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(
      try message("x", in: history).contains(
        "; its last host found no pipeline in its paths; start one with `penstock serve`; to use another workspace"))
  }

  @Test("is reported as lacking a host if none has served the workspace")
  func noHost() throws {
    let bench = try ServerBench()
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try message("x", in: history).contains("; no host has served this workspace yet; start one with"))
  }

  // MARK: Two of one name

  /// Refuses to start the pipeline, with the loader's message for the host.
  private func expectRefusal(_ name: String, _ bench: ServerBench, in history: History) throws {
    let error = try #require(throws: ServedPipelineError.self) { try bench.start(name, in: history) }
    let words =
      "'\(bench.folder)/one.yaml' and '\(bench.folder)/two.yaml' have the same pipeline name 'one'; rename one of them"
    #expect(error.description == words)
    #expect(error.code == "duplicate-name" && error.isRefusal)
    let occasion = try #require(try history.occasions().first)
    #expect((occasion.outcome, occasion.reason) == (.skipped, .invalidDefinition))
    #expect(occasion.detail == words)
    #expect(try history.queue().isEmpty && history.runs(RunFilter()).isEmpty)
  }

  @Test("is not started while two files have its name, and is started as soon as one is renamed")
  func duplicate() async throws {
    let bench = try ServerBench(["one": Self.value, "two": "name: one\n" + Self.value])
    try await bench.serve { _, history in
      #expect(try history.publishedPipeline("one")?.isLoaded == false)
      try expectRefusal("one", bench, in: history)
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    try expectRefusal("one", bench, in: history)
    // No host has seen that.
    try bench.write(Self.value, to: "two")
    #expect(try history.publishedPipeline("one")?.problem != nil)
    try bench.start("one", in: history)
    #expect(try history.queue().count == 1)
  }

  @Test("is not started even if an earlier version is in use, as for a file with errors")
  func duplicateOfGood() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      try bench.write("name: one\n" + Self.value, to: "two")
      try await eventually { try history.publishedPipeline("one")?.problem != nil }
      #expect(try history.publishedPipeline("one")?.isLoaded == true)
      try expectRefusal("one", bench, in: history)
    }
  }

  // MARK: Params that nobody gives

  @Test("because a param of its controllers has no value is reported as lacking a default, also by the check")
  func unattended() async throws {
    let bench = try ServerBench(["one": Self.unattended])
    let location = WorkspaceLocation(path: bench.directory + "/workspace", origin: .option)
    let check = HostCheck([bench.folder], location: location, file: nil, plugins: .none)
    #expect(check.hasErrors)
    #expect(check.findings.map(\.code) == ["missing-param"])
    #expect(
      check.findings.map(\.message) == ["'one' cannot run automatically: there is no value for the param 'n', an int"])
    #expect(check.findings.map(\.range.start.line) == [1])
    #expect(check.findings.map(\.fix) == ["add a 'default' to it"])
    let problem = "it cannot run by itself: there is no value for the param 'n', an int; add a 'default' to it"
    try await bench.serve { _, history in
      let published = try #require(try history.publishedPipeline("one"))
      #expect(published.problem == problem && published.isUnattended)
      #expect(bench.log.contains { $0.hasSuffix("'one' is invalid: \(problem)") })
      #expect(!bench.log.contains { $0.contains("last good version") })
      let explanation = try #require(try PipelineExplanation(of: "one", in: history))
      #expect(explanation.sentences.first == "I" + problem.dropFirst() + ".")
      #expect(explanation.sentences.last == "It has no trigger; start it with `penstock start one -p n=…`.")
      // A person gives it.
      let run = try bench.start("one", [("n", "1")], in: history)
      try await eventually { try history.run(run)?.state == .succeeded }
    }
  }

  @Test("is not reported if `automatic: never` leaves it to users anyway")
  func never() async throws {
    let text = Self.unattended.replacing("file-exists(flag)", with: "never")
    let bench = try ServerBench(["one": text])
    let location = WorkspaceLocation(path: bench.directory + "/workspace", origin: .option)
    #expect(!HostCheck([bench.folder], location: location, file: nil, plugins: .none).hasErrors)
    try await bench.serve { _, history in
      let published = try #require(try history.publishedPipeline("one"))
      #expect(published.problem == nil)
    }
  }

  // MARK: Gone

  @Test("because its file was deleted is explained as such, with its last occasions")
  func vanished() async throws {
    let bench = try ServerBench(["one": Self.value])
    try await bench.serve { _, history in
      #expect(try VanishedPipeline(of: "one", in: history) == nil)
      let run = try bench.start("one", in: history)
      try await eventually { try history.run(run)?.state == .succeeded }
      #expect(try VanishedPipeline(of: "one", in: history) == nil)
      try bench.remove("one")
      try await eventually { try history.publishedPipeline("one") == nil }
      let vanished = try #require(try VanishedPipeline(of: "one", in: history))
      let short = short(run, in: history)
      #expect(
        vanished.sentences == [
          "The host cannot find its file, so nothing starts it; it is served again when the file is back.",
          "Its latest run is \(short) (succeeded); see `penstock explain \(short)`.",
        ])
      #expect(vanished.occasions.map(\.ownRun) == [run])
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    let vanished = try #require(try VanishedPipeline(of: "one", in: history))
    #expect(vanished.sentences.first?.hasPrefix("The last host could not find its file") == true)
  }
}
