import Foundation
import Testing

@testable import RunHistory

@Suite("Removing the directories of runs")
struct RunDirectoriesTests {
  @Test("exactly the named runs are removed, and symbolic links are not followed")
  func remove() throws {
    let files = FileManager.default
    let root = files.temporaryDirectory.appendingPathComponent("penstock-\(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    let doomed = RunID.generate()
    let kept = RunID.generate()
    let linked = RunID.generate()
    let outside = root.appendingPathComponent("outside")
    for path in ["ws/runs/\(doomed)/deep", "ws/runs/\(kept)", "outside"] {
      try files.createDirectory(at: root.appendingPathComponent(path), withIntermediateDirectories: true)
    }
    for path in [
      "ws/runs/\(doomed)/1.out", "ws/runs/\(doomed)/deep/2.out", "ws/runs/\(kept)/1.out", "outside/precious",
    ] {
      try Data("12345".utf8).write(to: root.appendingPathComponent(path))
    }
    let runs = root.appendingPathComponent("ws/runs")
    try files.createSymbolicLink(at: runs.appendingPathComponent("\(doomed)/link"), withDestinationURL: outside)
    try files.createSymbolicLink(at: runs.appendingPathComponent(linked.text), withDestinationURL: outside)

    let directories = RunDirectories(workspace: root.appendingPathComponent("ws").path)
    #expect(directories.size(of: [doomed, kept]) == 15)
    let removal = directories.remove([doomed, linked, .generate()])
    #expect(removal.removed == 1)
    #expect(removal.bytes == 10)
    #expect(removal.failures.count == 1)
    #expect(!files.fileExists(atPath: runs.appendingPathComponent(doomed.text).path))
    #expect(files.fileExists(atPath: runs.appendingPathComponent("\(kept)/1.out").path))
    #expect(files.fileExists(atPath: outside.appendingPathComponent("precious").path))
  }

  @Test("what a process leaves behind is removed however deeply it is nested, even from unreadable directories")
  func deep() throws {
    let files = FileManager.default
    let root = files.temporaryDirectory.appendingPathComponent("penstock-\(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    let run = RunID.generate()
    let folder = root.appendingPathComponent("runs/\(run)/folder").path
    let branches = ["a", "b"].map { branch in folder + String(repeating: "/\(branch)", count: 60) }
    for path in branches {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("12345".utf8).write(to: URL(fileURLWithPath: path + "/file"))
    }
    try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: branches[0])
    try files.setAttributes([.posixPermissions: 0], ofItemAtPath: folder + "/b/b")
    let removal = RunDirectories(workspace: root.path).remove([run])
    #expect(removal.failures == [])
    #expect((removal.removed, removal.bytes) == (1, 10))
    #expect(!files.fileExists(atPath: root.appendingPathComponent("runs/\(run)").path))
  }
}
