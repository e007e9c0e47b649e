import Foundation
import PipelineService
import RunHistory
import Server
import Testing
import Workspace

@Suite("The check of a host's pipelines and workspace")
struct HostCheckTests {
  private let bench: ServerBench

  init() throws {
    bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }]"])
  }

  private var location: WorkspaceLocation { WorkspaceLocation(path: bench.directory + "/workspace", origin: .option) }

  private func check(_ networkFileSystem: String? = nil) -> HostCheck {
    HostCheck([bench.folder], location: location, file: nil, plugins: .none) { _ in networkFileSystem }
  }

  @Test("accepts a workspace that does not exist yet, and does not create it")
  func missing() {
    let check = check()
    #expect(!check.isRefused && !check.hasErrors && check.pipelines == 1)
    #expect(!FileManager.default.fileExists(atPath: location.path))
  }

  @Test("warns only of conditions over pipelines that the host does not serve")
  func unknownPipeline() throws {
    let bench = try ServerBench([
      "fetch": "operations: [{ name: a, value: 1 }]",
      "report": "rerun_on_change: succeeded(fetch) && succeeded(fecth)\noperations: [{ name: a, value: 1 }]",
    ])
    let check = HostCheck([bench.folder], location: location, file: nil, plugins: .none)
    #expect(!check.hasErrors)
    let finding = try #require(check.findings.first)
    #expect(check.findings.count == 1)
    #expect((finding.code, finding.severity, finding.fix) == ("unknown-pipeline", .warning, "did you mean 'fetch'?"))
    #expect((finding.range.start.line, finding.range.start.column) == (1, 48))
    #expect(check.text.contains("report.yaml:1:48: warning[unknown-pipeline]: this host serves no pipeline 'fecth'"))
  }

  @Test("rejects a workspace on a network file system, as the host does")
  func network() throws {
    let check = check("NFS")
    let refusal = ServerError.onNetwork("NFS", workspace: location.path)
    #expect(check.isRefused)
    #expect(check.findings.map(\.message) == ["\(refusal)"])
    #expect(check.lines.first?.contains(#""code":"workspace-on-network""#) == true)
  }

  @Test("rejects a workspace of a newer version, as the host does, and does not change it")
  func newer() throws {
    let history = try bench.history()
    try history.workspace.write { try $0.execute(sql: "PRAGMA user_version = 1999") }
    history.workspace.close()
    let error = try #require(throws: WorkspaceError.self) { _ = try bench.history() }
    #expect(error.code == "workspace-newer")
    let check = check()
    #expect(check.isRefused)
    #expect(check.findings.map(\.message) == [FailureReport(error)?.description])
    #expect(throws: error) { _ = try bench.history() }
  }

  @Test("rejects a workspace of another user, as the host does", .enabled(if: geteuid() == 0))
  func foreign() throws {
    try bench.history().workspace.close()
    try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: location.path)
    let error = try #require(throws: WorkspaceError.self) { _ = try bench.history() }
    #expect(error.code == "workspace-untrusted")
    #expect(check().findings.map(\.message) == [FailureReport(error)?.description])
  }

  @Test(
    "rejects a directory of another user without a workspace, as the host does", .enabled(if: geteuid() == 0))
  func foreignDirectory() throws {
    try FileManager.default.createDirectory(atPath: location.path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: location.path)
    let error = try #require(throws: WorkspaceError.self) { _ = try bench.history() }
    #expect(error.code == "workspace-untrusted")
    #expect(check().findings.map(\.message) == [FailureReport(error)?.description])
  }

  @Test("rejects a file as the workspace, and a path below a file, as the host does", arguments: ["", "/below"])
  func file(suffix: String) throws {
    let path = bench.directory + "/file"
    try Data().write(to: URL(fileURLWithPath: path))
    let location = WorkspaceLocation(path: path + suffix, origin: .option)
    let error = try #require(throws: WorkspaceError.self) { _ = try History.open(at: location.path, mode: .readWrite) }
    let check = HostCheck([bench.folder], location: location, file: nil, plugins: .none)
    #expect(check.isRefused)
    #expect(check.findings.map(\.message) == [FailureReport(error)?.description])
  }
}
