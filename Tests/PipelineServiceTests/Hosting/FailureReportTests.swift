import PipelineEngine
import RunHistory
import Testing
import Workspace

@testable import PipelineService

@Suite("What an error means to whoever asked") struct FailureReportTests {
  @Test("A refusal of the service, and an engine that cannot go on, are told apart")
  func kinds() {
    #expect(FailureReport(RunStartError.nothingToRetry(workspace: "/w"))?.kind == .refused)
    #expect(FailureReport(EngineError.history("full"))?.kind == .broken)
    #expect(FailureReport(WorkspaceError.readOnly(path: "/w"))?.kind == .broken)
    #expect(FailureReport(CancellationError())?.kind == nil)
  }

  @Test("A failed system call is reported as the engine reports its own")
  func systemCalls() {
    #expect(FailureReport.systemCall("eventfd", 24).description == EngineError.systemCall("eventfd", 24).description)
  }

  @Test("A workspace that is needed must be there, and one that is named even for looking at it")
  func workspaces() throws {
    let named = WorkspaceLocation(path: "/nowhere/workspace", origin: .option)
    #expect(throws: WorkspaceMissing.self) { try named.historyIfPresent() }
    #expect(throws: WorkspaceMissing.self) { try named.history() }
    #expect(throws: WorkspaceMissing.self) { try named.writableHistory(durability: .process) }
    let found = WorkspaceLocation(path: "/nowhere/workspace", origin: .state, start: "/")
    #expect(try found.historyIfPresent().map { _ in true } == nil)
    let error = #expect(throws: WorkspaceMissing.self) { try found.history() }
    #expect(error?.description.contains("create one with `penstock run FILE` or `penstock serve`") == true)
    #expect(error?.description.contains("--workspace or $PENSTOCK_WORKSPACE names another") == true)
  }

  @Test("A workspace that the environment names must be there where it is needed, and the message says who named it")
  func environment() throws {
    let named = WorkspaceLocation(path: "/nowhere/workspace", origin: .environment)
    #expect(try named.historyIfPresent().map { _ in true } == nil)
    let error = #expect(throws: WorkspaceMissing.self) { try named.historyIfPresent(isNeeded: true) }
    #expect(
      error?.description
        == "there is no workspace at '/nowhere/workspace' (from $PENSTOCK_WORKSPACE); create one with `penstock run FILE` or `penstock serve`"
    )
    #expect(throws: WorkspaceMissing.self) { try named.history() }
  }
}
