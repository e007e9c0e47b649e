import Foundation
import Glibc
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Server
import Synchronization
import Testing

@Suite("A host that starts")
struct StartingHostTests {
  @Test("ends on request while it reads the files, without becoming ready", .timeLimit(.minutes(1)))
  func drainedMeanwhile() async throws {
    let told = Mutex<PipelineServer?>(nil)
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }]"]) {
      $0.computer.folderNames = { folder throws(PipelineFiles.Unreadable) in
        told.withLock { $0 }?.send(.drain(RunCanceller(means: .drain)))
        return try PipelineFiles.system(folder)
      }
    }
    let states = Mutex<[HostStates.State]>([])
    let server = try bench.server(HostStates { state in states.withLock { $0.append(state) } })
    told.withLock { $0 = server }
    try await server.run()
    told.withLock { $0 = nil }
    #expect(!states.withLock { $0 }.contains { if case .ready = $0 { true } else { false } })
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try history.currentHost() == nil)
  }

  @Test(
    "without free descriptors reports what it lacks until it is ready",
    .timeLimit(.minutes(1)))
  func starting() async throws {
    let isShort = Mutex(true)
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }]"]) {
      $0.computer.folderNames = { folder throws(PipelineFiles.Unreadable) in
        if isShort.withLock({ $0 }) { throw PipelineFiles.Unreadable(number: EMFILE) }
        return try PipelineFiles.system(folder)
      }
    }
    let server = try bench.server()
    let serving = Task { try await server.run() }
    let history = try bench.history()
    defer { history.workspace.close() }
    let lack = "no descriptor or memory is free"
    try await eventually { try StatusReport(of: [], in: history).problems.first?.contains(lack) == true }
    #expect(try history.currentHost()?.state == .starting)
    let denials: [() throws -> Void] = [
      { _ = try history.servedPipeline("one") },
      { try history.requireKnown(pipeline: "one") },
      { _ = try RunReference(history: history).findWhereNoPipeline("one") },
    ]
    for denial in denials {
      let error = #expect(throws: ServedPipelineError.self) { try denial() }
      #expect(error?.code == "host-starting")
      #expect(error?.description.contains("is starting, and cannot read all pipeline files") == true)
      #expect(error.flatMap { FailureReport($0) }?.kind == .broken)
    }
    isShort.withLock { $0 = false }
    try await eventually { try history.currentHost()?.state == .ready }
    #expect(try StatusReport(of: [], in: history).problems == [])
    #expect(try history.servedPipeline("one").name == "one")
    server.send(.drain(RunCanceller(means: .drain)))
    try await serving.value
  }
}
