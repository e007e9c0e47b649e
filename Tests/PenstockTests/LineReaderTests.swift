import Foundation
import Glibc
import Testing

@testable import penstock

@Suite("The lines of a file") struct LineReaderTests {
  private func lines(_ text: String, limit: Int) throws -> [String] {
    let path = NSTemporaryDirectory() + "penstock-lines-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    let reader = try LineReader(path, limit: limit)
    var lines: [String] = []
    while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  @Test("are read one by one, including a last one without a line feed") func lines() throws {
    #expect(try lines("one\n\ntwo\nthree", limit: 1 << 20) == ["one", "", "two", "three"])
  }

  @Test("have a maximum length, beyond which nothing is read") func endless() throws {
    #expect(throws: CommandFailure.self) { try lines("one\n" + String(repeating: "x", count: 3 << 20), limit: 1 << 20) }
    do {
      let reader = try LineReader("/dev/zero")
      _ = try reader.next()
      Issue.record("a device was read")
    } catch let failure as CommandFailure {
      #expect(failure.message == "'/dev/zero' cannot be read: it is a device, not a regular file")
    }
  }
}
