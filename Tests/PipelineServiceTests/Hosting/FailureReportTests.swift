import PipelineEngine
import RunHistory
import Testing
import Workspace

@testable import PipelineService

@Suite("Reports of errors") struct FailureReportTests {
  @Test("Rejections by the service are distinguished from failures of the engine")
  func kinds() {
    #expect(FailureReport(RunStartError.nothingToRetry(workspace: "/w"))?.kind == .refused)
    #expect(FailureReport(EngineError.history("full"))?.kind == .broken)
    #expect(FailureReport(WorkspaceError.readOnly(path: "/w"))?.kind == .broken)
    #expect(FailureReport(CancellationError())?.kind == nil)
  }

  @Test("A failed system call is reported like one of the engine")
  func systemCalls() {
    #expect(FailureReport.systemCall("eventfd", 24).description == EngineError.systemCall("eventfd", 24).description)
  }

  @Test("A required workspace must exist, and a named one even for reading")
  func workspaces() throws {
    let named = WorkspaceLocation(path: "/nowhere/workspace", origin: .option)
    #expect(throws: WorkspaceMissing.self) { try named.historyIfPresent() }
    #expect(throws: WorkspaceMissing.self) { try named.history() }
    #expect(throws: WorkspaceMissing.self) { try named.writableHistory(durability: .process) }
    let found = WorkspaceLocation(path: "/nowhere/workspace", origin: .state, start: "/")
    #expect(try found.historyIfPresent().map { _ in true } == nil)
    let error = #expect(throws: WorkspaceMissing.self) { try found.history() }
    #expect(
      error?.description.contains(
        "run a pipeline (`penstock run FILE`) or start a host (`penstock serve`) to create it") == true)
    #expect(error?.description.contains("or name one with --workspace DIR or $PENSTOCK_WORKSPACE") == true)
  }

  @Test(
    "A workspace named by the environment must exist if it is required, and the message says where the name is from")
  func environment() throws {
    let named = WorkspaceLocation(path: "/nowhere/workspace", origin: .environment)
    #expect(try named.historyIfPresent().map { _ in true } == nil)
    let error = #expect(throws: WorkspaceMissing.self) { try named.historyIfPresent(isNeeded: true) }
    #expect(
      error?.description
        == "there is no workspace at '/nowhere/workspace' (from $PENSTOCK_WORKSPACE); run a pipeline (`penstock run FILE`) or start a host (`penstock serve`) to create it, or name another directory"
    )
    #expect(throws: WorkspaceMissing.self) { try named.history() }
  }
}
