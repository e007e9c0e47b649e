import Foundation
import RunHistory
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("Artifacts") struct ArtifactKeeperTests {
  private let workspace = NSTemporaryDirectory() + "penstock-artifacts-\(UUID().uuidString)"
  private let run = RunID.generate()
  private var directory: String { "\(workspace)/work" }
  private var kept: String { "\(workspace)/runs/\(run.text)/3-2.artifacts" }

  init() throws {
    for folder in ["runs/\(run.text)", "work/out/deep", "work/.hidden"] {
      try FileManager.default.createDirectory(atPath: "\(workspace)/\(folder)", withIntermediateDirectories: true)
    }
    for (name, text) in [
      ("out/a.csv", "a"), ("out/deep/b.csv", "bb"), ("out/[x].csv", "x"), ("out/.dot.csv", "."), ("notes", "n"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }
    try FileManager.default.createSymbolicLink(atPath: "\(directory)/out/link.csv", withDestinationPath: "/etc/passwd")
    try FileManager.default.createSymbolicLink(atPath: "\(directory)/way", withDestinationPath: "/etc")
    try #require(mkfifo("\(directory)/out/pipe.csv", 0o600) == 0)
  }

  private func keep(
    _ path: String, isPattern: Bool? = nil, secrets: [String] = []
  ) throws -> ArtifactKeeper.Kept {
    let isPattern = isPattern ?? path.contains { "*?[".contains($0) }
    let masker = secrets.isEmpty ? nil : SecretMasker(secrets)
    return try ArtifactKeeper(
      [.init(name: "it", path: path, isPattern: isPattern)], of: run, ordinal: 3, attempt: 2,
      in: directory, workspace: workspace, masker: masker
    ).keep()
  }

  private func code(_ path: String, isPattern: Bool? = nil, secrets: [String] = []) -> String? {
    do {
      _ = try keep(path, isPattern: isPattern, secrets: secrets)
      return nil
    } catch {
      return (error as? OperationFailure)?.code ?? "\(error)"
    }
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test("a path is one file, below the directory of its attempt and artifact") func path() throws {
    let artifact = try #require(try keep("./out//a.csv").artifacts.first)
    #expect(artifact.paths == ["out/a.csv"])
    #expect(artifact.folder == "runs/\(run.text)/3-2.artifacts/it")
    #expect((artifact.files, artifact.size, artifact.isList) == (1, 1, false))
    #expect(try String(contentsOfFile: "\(kept)/it/out/a.csv", encoding: .utf8) == "a")
    #expect(artifact.isThere(in: workspace))
    try FileManager.default.removeItem(atPath: "\(kept)/it/out/a.csv")
    #expect(!artifact.isThere(in: workspace))
  }

  @Test("the owner's execute permission is kept, and no other permissions are") func permissions() throws {
    chmod("\(directory)/out/a.csv", 0o777)
    _ = try keep("out/a.csv")
    var status = stat()
    #expect(stat("\(kept)/it/out/a.csv", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test(
    "a pattern matches regular files that are not hidden, in the order of their paths",
    arguments: [
      ("out/*.csv", ["out/[x].csv", "out/a.csv"]), ("**/*.csv", ["out/[x].csv", "out/a.csv", "out/deep/b.csv"]),
      ("out/**", ["out/[x].csv", "out/a.csv", "out/deep/b.csv"]), ("*/deep/?.csv", ["out/deep/b.csv"]),
      (#"out/\[x\].c*"#, ["out/[x].csv"]), ("out/.d*", ["out/.dot.csv"]), ("way/passw*", []), ("out/*.pdf", []),
      ("**/**/b*", ["out/deep/b.csv"]),
    ])
  func patterns(pattern: String, paths: [String]) throws {
    let artifact = try #require(try keep(pattern, isPattern: true).artifacts.first)
    #expect(artifact.paths == paths)
    #expect(artifact.isList)
  }

  @Test("a directory is kept with everything in it, except links and special files") func tree() throws {
    let result = try keep("out")
    #expect(result.artifacts.first?.paths == ["out"])
    #expect(result.artifacts.first?.files == 4)
    #expect(result.leftOut == ["'out/link.csv' is a symbolic link", "'out/pipe.csv' is not a regular file"])
    #expect(exists("\(kept)/it/out/deep/b.csv") && !exists("\(kept)/it/out/link.csv"))
  }

  @Test(
    "a path that is missing, leads elsewhere or is not a file fails, and nothing is left behind",
    arguments: [
      ("nowhere", "artifact-missing"), ("notes/below", "artifact-missing"), ("out/link.csv", "artifact-invalid"),
      ("way/passwd", "artifact-invalid"), ("out/pipe.csv", "artifact-invalid"), ("../runs", "artifact-invalid"),
      ("/etc/passwd", "artifact-invalid"), ("out/../../x", "artifact-invalid"), ("", "artifact-invalid"),
      (".", "artifact-invalid"),
    ])
  func refused(path: String, code: String) {
    #expect(self.code(path, isPattern: false) == code)
    #expect(!exists(kept))
  }

  @Test("a pattern cannot lead out of the directory either") func outside() {
    #expect(code("../*/x") == "artifact-invalid")
    #expect(code("/etc/pass*") == "artifact-invalid")
  }

  @Test("more files than a pattern may match are rejected") func limit() throws {
    for number in 0...ArtifactKeeper.mostMatches {
      try #require(FileManager.default.createFile(atPath: "\(directory)/out/\(number).log", contents: nil))
    }
    #expect(code("out/*.log") == "artifact-limit")
    #expect(!exists(kept))
    #expect(try keep("out/*0.log").artifacts.first?.files == 101)
  }

  @Test("excessive size is detected before anything is copied") func size() throws {
    try Data("hunter22".utf8).write(to: URL(fileURLWithPath: "\(directory)/out/1.big"))
    for name in ["2.big", "3.big"] {
      try #require(FileManager.default.createFile(atPath: "\(directory)/out/\(name)", contents: nil))
      // Sparse, so that they take no room.
      try #require(truncate("\(directory)/out/\(name)", Int(ArtifactKeeper.mostBytes / 2)) == 0)
    }
    // Reading the first one would find the secret.
    #expect(code("out/*.big", secrets: ["hunter22"]) == "artifact-limit")
    #expect(code("out", secrets: ["hunter22"]) == "artifact-limit")
    #expect(!exists(kept))
  }

  /// The progress of a thread that writes to a file.
  private final class Writing: Sendable {
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
  }

  @Test("a file that is written to while it is copied is reported, and an unchanged one is not")
  func changing() async throws {
    let path = "\(directory)/out/log"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 64 << 20) == 0)
    let writing = Writing()
    try await withThrowingTaskGroup { group in
      group.addTask {
        let log = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        while !writing.isOver.load(ordering: .relaxed), write(log, "x", 1) == 1 {
          writing.hasBegun.store(true, ordering: .relaxed)
        }
        close(log)
      }
      while !writing.hasBegun.load(ordering: .relaxed) { await Task.yield() }
      #expect(try keep("out").changing == ["out/log"])
      writing.isOver.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    #expect(try keep("out").changing == [])
  }

  @Test("a secret in a file or its name is found, even if it spans several pieces that are read") func secrets() throws
  {
    let filler = String(repeating: "-", count: (256 << 10) - 3)
    try Data((filler + "hunter22" + filler).utf8).write(to: URL(fileURLWithPath: "\(directory)/out/big"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(directory)/out/swordfish"))
    #expect(code("out/big", secrets: ["hunter22"]) == "artifact-secret")
    #expect(code("out/swordfish", secrets: ["swordfish"]) == "artifact-secret")
    #expect(!exists(kept))
    #expect(code("out/big", secrets: ["another"]) == nil)
    #expect(code("out/big") == nil)
  }

  @Test("files left by an interrupted attempt are removed first") func leftovers() throws {
    let former = "\(workspace)/runs/\(run.text)/3-1.artifacts/it"
    let other = "\(workspace)/runs/\(run.text)/33-1.artifacts/it"
    for folder in [former, other, "\(kept)/it/out"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(kept)/it/out/a.csv"))
    _ = try keep("out/a.csv")
    #expect(!exists(former) && exists(other))
    #expect(try String(contentsOfFile: "\(kept)/it/out/a.csv", encoding: .utf8) == "a")
  }

  @Test("a cancelled copy leaves nothing behind") func cancelled() {
    let keeper = ArtifactKeeper(
      [.init(name: "it", path: "out/*", isPattern: true)], of: run, ordinal: 3, attempt: 2, in: directory,
      workspace: workspace, masker: nil)
    keeper.cancel()
    #expect(throws: CancellationError.self) { try keeper.keep() }
    #expect(!exists(kept))
  }
}
