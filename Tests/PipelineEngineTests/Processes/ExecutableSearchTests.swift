import Foundation
import Testing

@testable import PipelineEngine

@Suite("The search for programs") struct ExecutableSearchTests {
  private let directory = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"

  init() throws {
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    #expect(
      FileManager.default.createFile(
        atPath: "\(directory)/a/tool", contents: nil, attributes: [.posixPermissions: 0o644]))
    #expect(
      FileManager.default.createFile(
        atPath: "\(directory)/b/tool", contents: nil, attributes: [.posixPermissions: 0o755]))
  }

  @Test("finds the first executable file in the PATH that the process will have") func first() {
    let search = ExecutableSearch()
    #expect(search.locate("tool", path: "\(directory)/a:\(directory)/b")?.string == "\(directory)/b/tool")
    #expect(search.locate("tool", path: "\(directory)/a") == nil)
  }

  @Test("returns a name with a slash unchanged") func slash() {
    #expect(ExecutableSearch().locate("./local", path: nil)?.string == "./local")
  }

  @Test("never finds a directory") func directories() {
    #expect(ExecutableSearch().locate("a", path: directory) == nil)
  }
}
