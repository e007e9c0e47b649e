import Foundation
import Testing

@testable import PipelineLanguage

@Suite("Finding pipeline files") struct PipelineFilesTests {
  /// A folder with files and links, which is deleted with the value.
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

    /// Returns the files found in it, as relative paths.
    func found(_ paths: [String] = [""]) -> [String] {
      PipelineFiles(paths.map { $0.isEmpty ? path : "\(path)/\($0)" }).files.map { $0.replacing("\(path)/", with: "") }
    }

    /// What is left out below the folder, with reasons.
    var leftOut: [String] {
      PipelineFiles([path]).leftOut.map { "\($0.path.replacing("\(path)/", with: "")) \($0.reason)" }
    }
  }

  @Test("A folder yields every *.yaml and *.yml below it, by name, except for names that start with . or _")
  func rule() throws {
    let folder = try Folder([
      "b.yaml", "a.yaml", "c.yml", "d.txt", ".hidden.yaml", "_shared.yaml", "deep/er/e.yaml", "_parts/f.yaml",
      ".git/g.yaml", "deep/h.yaml", "looks.yaml/i.yaml",
    ])
    #expect(folder.found() == ["a.yaml", "b.yaml", "c.yml", "deep/h.yaml", "deep/er/e.yaml", "looks.yaml/i.yaml"])
  }

  @Test("A given path is accepted whatever its name, and each file once")
  func given() throws {
    let folder = try Folder(["a.yaml", "c.yml", "_shared.yaml"])
    #expect(
      folder.found(["c.yml", "_shared.yaml", "", "a.yaml", "gone"]) == ["c.yml", "_shared.yaml", "a.yaml", "gone"])
  }

  @Test("Links are followed, including dangling ones, but never in a circle")
  func links() throws {
    let folder = try Folder(
      ["sub/a.yaml"], links: [("sub/up", to: ".."), ("link.yaml", to: "sub/a.yaml"), ("nowhere.yaml", to: "gone")])
    #expect(folder.found() == ["link.yaml", "nowhere.yaml", "sub/a.yaml"])
  }

  @Test("Entries that are not regular files are left out and reported")
  func leftOut() throws {
    let folder = try Folder(["a.yaml", "full.yaml/d.yaml"], folders: ["mounted.yaml", "_c.yaml", "plain"])
    #expect(mkfifo("\(folder.path)/b.yaml", 0o600) == 0)
    #expect(mkfifo("\(folder.path)/b.txt", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/null.yml", withDestinationPath: "/dev/null")
    #expect(folder.found() == ["a.yaml", "full.yaml/d.yaml"])
    #expect(
      folder.leftOut == [
        "b.yaml is a FIFO or pipe, not a pipeline file", "null.yml is a device, not a pipeline file",
        "mounted.yaml is a folder without pipeline files, not a pipeline file",
      ])
  }

  @Test("A name that is not UTF-8 is reported if it belongs to a pipeline file or a folder")
  func names() throws {
    let folder = try Folder(["a.yaml", "\u{FFFD}.yaml"])
    for name in ["caf\u{1}.yaml", "\u{1}.yaml", "notes\u{1}.txt", "_\u{1}.yaml"] {
      let bytes = Array("\(folder.path)/\(name)".utf8).map { CChar(bitPattern: $0 == 1 ? 0xE9 : $0) } + [0]
      let descriptor = open(bytes, O_CREAT | O_WRONLY, 0o600)
      #expect(descriptor >= 0)
      close(descriptor)
    }
    let bytes = Array("\(folder.path)/t\u{1}tes".utf8).map { CChar(bitPattern: $0 == 1 ? 0xEA : $0) } + [0]
    #expect(mkdir(bytes, 0o700) == 0)
    #expect(folder.found() == ["a.yaml", "\u{FFFD}.yaml"])
    #expect(
      folder.leftOut
        == ["\\xE9.yaml", "caf\\xE9.yaml", "t\\xEAtes"].map { "\($0) has a name that is not UTF-8" })
  }

  @Test("Searched folders are listed, and so are those that cannot be searched")
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
