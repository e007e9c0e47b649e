import Foundation
import Testing

@testable import PipelineEngine

@Suite("hashFiles") struct FileHashTests {
  private let directory = NSTemporaryDirectory() + "penstock-hash-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: "\(directory)/src/deep", withIntermediateDirectories: true)
    for (name, text) in [("a.txt", "a"), ("src/b.txt", "b"), ("src/deep/c.txt", "c"), ("src/deep/d.bin", "d")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }
  }

  private func hash(_ patterns: String...) throws -> String { try FileHash.hash(patterns: patterns, in: directory) }

  @Test("is empty when nothing matches") func nothing() throws {
    #expect(try hash("*.nothing") == "")
  }

  @Test("depends on the contents, but not on the order of the patterns") func order() throws {
    #expect(try hash("a.txt", "src/b.txt") == hash("src/b.txt", "a.txt"))
    let before = try hash("a.txt")
    try Data("changed".utf8).write(to: URL(fileURLWithPath: "\(directory)/a.txt"))
    #expect(try hash("a.txt") != before)
    #expect(before.count == 64)
  }

  @Test("treats ** as any number of directories, including none") func doubleStar() throws {
    #expect(try hash("**/*.txt") == hash("a.txt", "src/b.txt", "src/deep/c.txt"))
    #expect(try hash("src/**") == hash("src/*", "src/deep/*"))
  }

  @Test("stops between two pieces when it is cancelled") func cancelled() throws {
    var asked = 0
    #expect(throws: EngineError.self) {
      try FileHash.hash(patterns: ["**/*.txt"], in: directory) {
        asked += 1
        return asked > 4
      }
    }
    #expect(asked == 5)
  }

  @Test("excludes files by a pattern with !") func negated() throws {
    #expect(try hash("**/*", "!**/*.txt") == hash("src/deep/d.bin"))
  }
}
