import Foundation
import RunHistory
import RunReports
import Server
import Testing

@Suite("A run that a drain has left")
struct RunRestartTests {
  private static let asking = "operations: [{ name: ask, approve: may it? }]"

  /// What `explain` says of the run as a whole.
  private func explanation(of run: RunID, in history: History) throws -> RunExplanation.Entry {
    let record = try #require(try history.run(run))
    let recorded = try #require(try history.loadForResume(run))
    return try #require(
      RunExplanation(
        of: recorded, pipeline: nil, operation: nil, shortID: "X", restart: try RunRestart(of: record, in: history)
      ).entries.first)
  }

  private func reason(_ name: String, in history: History) throws -> String? {
    try StatusReport(of: [name], in: history).entries.first?.reason
  }

  @Test("is announced to be resumed by the next host, even while its own host drains", .timeLimit(.minutes(1)))
  func left() async throws {
    let bench = try ServerBench(["ask": Self.asking]) { $0.drain = .seconds(3600) }
    try bench.write(
      "operations: [{ name: b, run: 'until [ -e \(bench.directory)/go ]; do sleep 0.01; done' }]", to: "busy")
    var left: RunID?
    try await bench.serve { server, history in
      let run = try bench.start("ask", in: history)
      left = run
      let busy = try bench.start("busy", in: history)
      try await eventually { try history.operations(of: run).first?.state == .waiting }
      try await eventually { try history.operations(of: busy).first?.state == .running }
      server.send(.drain(RunCanceller(means: .drain)))
      try await eventually { try history.run(run)?.state == .interrupted }
      try await eventually { try history.currentHost()?.state == .draining }
      let text = "run \(short(run, in: history)) was left by its host, which drained"
      #expect(try reason("ask", in: history) == text + "; the next host of the workspace resumes it")
      #expect(FileManager.default.createFile(atPath: bench.directory + "/go", contents: nil))
      // To be told again would cancel what goes on.
      try await eventually { try history.hosts().map(\.state) == [.stopped] }
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    let run = try #require(left)
    let entry = try explanation(of: run, in: history)
    #expect(entry.because.first?.hasSuffix(" drained and left it to the next one") == true)
    #expect(entry.because.last == "the next host of the workspace resumes it")
    #expect(entry.remedies.isEmpty)
    #expect(
      try PipelineExplanation(of: "ask", in: history)?.sentences.contains(
        "Run \(short(run, in: history)) is interrupted: its host drained and left it to the next one; the next host of the workspace resumes it."
      ) == true)
  }

  @Test("is reported even if a later run has succeeded", .timeLimit(.minutes(1)))
  func laterSuccess() async throws {
    let bench = try ServerBench(["ask": Self.asking])
    var left: RunID?
    try await bench.serve { _, history in
      let run = try bench.start("ask", in: history)
      left = run
      let later = try bench.start("ask", in: history)
      try await eventually {
        try history.pendingApprovals(run).count == 1 && history.pendingApprovals(later).count == 1
      }
      let question = try #require(try history.pendingApprovals(later).first)
      _ = try history.answerApproval(
        later, operation: question.operation, approved: true, note: nil, who: "ada", at: .now)
      try await eventually { try history.run(later)?.state == .succeeded }
    }
    let run = try #require(left)
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(
      try reason("ask", in: history)
        == "run \(short(run, in: history)) was left by its host, which drained; the next host of the workspace resumes it"
    )
  }

  @Test("is reported as reading its secret while it is being resumed", .timeLimit(.minutes(1)))
  func secret() async throws {
    let bench = try ServerBench()
    let go = "\(bench.directory)/go"
    let command = "until test -e \(go); do sleep 0.01; done; echo sesame"
    try bench.write("secrets: { token: { command: [sh, -c, '\(command)'] } }\n" + Self.asking, to: "ask")
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    var left: RunID?
    try await bench.serve { _, history in
      let run = try bench.start("ask", in: history)
      left = run
      try await eventually { try history.operations(of: run).first?.state == .waiting }
    }
    let run = try #require(left)
    try FileManager.default.removeItem(atPath: go)
    try await bench.serve { _, history in
      #expect(try history.run(run)?.state == .interrupted)
      try await eventually { try history.resumption(of: run) == .readsSecret("token") }
      let text = "it is being resumed: it is reading its secret 'token'"
      #expect(try reason("ask", in: history)?.hasSuffix("; " + text) == true)
      let entry = try explanation(of: run, in: history)
      #expect(entry.because.last == text)
      #expect(entry.remedies.isEmpty)
      #expect(FileManager.default.createFile(atPath: go, contents: nil))
      try await eventually { try history.operations(of: run).first?.state == .waiting }
      try await eventually { try history.resumption(of: run) == nil }
      #expect(try history.run(run)?.state == .running)
    }
  }

  @Test(
    "must be resumed by a user if `on_restart` says so", .timeLimit(.minutes(1)), arguments: ["leave", "fail"])
  func otherwise(policy: String) async throws {
    let bench = try ServerBench(["ask": "on_restart: \(policy)\n" + Self.asking])
    var left: RunID?
    try await bench.serve { _, history in
      let run = try bench.start("ask", in: history)
      left = run
      try await eventually { try history.operations(of: run).first?.state == .waiting }
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    let run = try #require(left)
    #expect(try history.run(run)?.state == .interrupted)
    let entry = try explanation(of: run, in: history)
    #expect(entry.remedies == ["penstock resume X"])
    let fails = "the next host of the workspace records it as failed, because of `on_restart`"
    #expect(entry.because.contains(fails) == (policy == "fail"))
    #expect(try reason("ask", in: history)?.hasSuffix("; `penstock resume \(short(run, in: history))`") == true)
  }
}
