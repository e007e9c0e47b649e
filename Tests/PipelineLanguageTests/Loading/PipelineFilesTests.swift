import Foundation
import Testing

@testable import PipelineLanguage

@Suite("Finding pipeline files") struct PipelineFilesTests {
  /// A folder with files and links in it, which is gone with the value.
  private final class Folder {
    let path = NSTemporaryDirectory() + "penstock-files-\(UUID().uuidString)"

    init(_ files: [String], folders: [String] = [], links: [(String, to: String)] = []) throws {
      let manager = FileManager.default
      for folder in ["."] + folders + files.map({ ($0 as NSString).deletingLastPathComponent }) {
        try manager.createDirectory(atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
      }
      for file in files { #expect(manager.createFile(atPath: "\(path)/\(file)", contents: nil)) }
      for (name, target) in links {
        try manager.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// What is found below it, as seen from it.
    func found(_ paths: [String] = [""]) -> [String] {
      PipelineFiles(paths.map { $0.isEmpty ? path : "\(path)/\($0)" }).files.map { $0.replacing("\(path)/", with: "") }
    }
  }

  @Test("Below a folder it is every *.yaml and *.yml, by name, but for names that begin with . or _")
  func rule() throws {
    let folder = try Folder([
      "b.yaml", "a.yaml", "c.yml", "d.txt", ".hidden.yaml", "_shared.yaml", "deep/er/e.yaml", "_parts/f.yaml",
      ".git/g.yaml", "deep/h.yaml", "looks.yaml/i.yaml",
    ])
    #expect(folder.found() == ["a.yaml", "b.yaml", "c.yml", "deep/h.yaml", "deep/er/e.yaml", "looks.yaml/i.yaml"])
  }

  @Test("What is named itself is taken whatever it is called, and each file once")
  func given() throws {
    let folder = try Folder(["a.yaml", "c.yml", "_shared.yaml"])
    #expect(
      folder.found(["c.yml", "_shared.yaml", "", "a.yaml", "gone"]) == ["c.yml", "_shared.yaml", "a.yaml", "gone"])
  }

  @Test("Links are followed, also to nowhere, and never round in a circle")
  func links() throws {
    let folder = try Folder(
      ["sub/a.yaml"], links: [("sub/up", to: ".."), ("link.yaml", to: "sub/a.yaml"), ("nowhere.yaml", to: "gone")])
    #expect(folder.found() == ["link.yaml", "nowhere.yaml", "sub/a.yaml"])
  }

  @Test("A FIFO is not a pipeline file, and nobody waits for it")
  func pipes() throws {
    let folder = try Folder(["a.yaml"])
    #expect(mkfifo("\(folder.path)/b.yaml", 0o600) == 0)
    #expect(folder.found() == ["a.yaml"])
  }

  @Test("The folders that were searched are told, and those that cannot be searched")
  func folders() throws {
    let folder = try Folder(["sub/a.yaml"], folders: ["closed"])
    let found = PipelineFiles([folder.path])
    #expect(found.folders == ["", "/closed", "/sub"].map { folder.path + $0 })
    // Root may search every folder.
    guard geteuid() != 0 else { return }
    #expect(chmod("\(folder.path)/closed", 0) == 0)
    defer { chmod("\(folder.path)/closed", 0o700) }
    #expect(
      PipelineFiles([folder.path]).problems == [
        PipelineFiles.Problem(path: "\(folder.path)/closed", reason: "Permission denied")
      ])
  }

  @Test("A chain of five hundred folders is searched to its end")
  func deep() throws {
    let deep = (0..<500).map { _ in "d" }.joined(separator: "/")
    let folder = try Folder(["\(deep)/a.yaml"])
    #expect(folder.found() == ["\(deep)/a.yaml"])
  }
}
