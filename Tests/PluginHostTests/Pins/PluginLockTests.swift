import Foundation
import PluginHost
import Testing

@Suite("plugins.lock")
struct PluginLockTests {
  private let scratch: Scratch
  private let one = String(repeating: "1", count: 64)
  private let two = String(repeating: "2", count: 64)
  private let three = String(repeating: "3", count: 64)
  private let own = ProcessorArchitecture.own

  init() throws { scratch = try Scratch() }

  @Test("a written file is read back, with paths relative to it where they are below it")
  func roundTrip() throws {
    var lock = PluginLock(path: scratch("plugins.lock"))
    try lock.pin("calendar", to: one, file: "/usr/lib/a b/libpenstock-calendar.so")
    try lock.pin("a", to: two, file: scratch("plugins/a.so"))
    try lock.write()
    let read = try #require(try PluginLock.read(scratch("plugins.lock")))
    #expect(read == lock)
    #expect(read.lines.map(\.location) == ["/usr/lib/a b/libpenstock-calendar.so", "plugins/a.so"])
    #expect(read.lines.map(read.file(of:)) == ["/usr/lib/a b/libpenstock-calendar.so", scratch("plugins/a.so")])
    #expect(
      lock.text.split(separator: "\n").dropFirst() == [
        "calendar - \(own) \(one) /usr/lib/a b/libpenstock-calendar.so", "a - \(own) \(two) plugins/a.so",
      ])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["plugins.lock"])
  }

  @Test(
    "a plugin is pinned to each of its lines for this computer, and pinning it again replaces these where the first was"
  )
  func several() throws {
    let text = "# comment\n\na - - \(one) x.so\nb\t1.0  \(own) \(two)\r\na 2 - \(two) z.so\n"
    var lock = try PluginLock(parsing: text, path: "plugins.lock")
    #expect(lock.pin("a")?.hashes == [one, two])
    #expect(lock.pin("b")?.place == "'plugins.lock' (line 4)")
    #expect(lock.pin("a")?.place == "'plugins.lock' (lines 3, 5)")
    #expect(lock.pin("c") == nil)
    try lock.pin("a", to: three, file: "/new.so")
    #expect(lock.lines.map(\.id) == ["a", "b"])
    #expect(lock.pin("a")?.hashes == [three])
    #expect(lock.pin("a")?.place == "'plugins.lock'")
  }

  @Test("lines for other architectures are kept, and count only if there is none for this one")
  func architectures() throws {
    let other = own == "aarch64" ? "x86_64" : "aarch64"
    let text = "a 1.0 \(other) \(one) https://h/a\nb 1.0 \(own) \(one)\nb 1.0 \(other) \(two)\n"
    var lock = try PluginLock(parsing: text, path: "plugins.lock")
    #expect(lock.pin("a")?.hashes == [one])
    #expect(lock.pin("b")?.hashes == [one])
    try lock.pin(
      PluginLock.Line(id: "a", version: "2 beta", architecture: own, sha256: three, location: "https://h/a2"))
    #expect(
      lock.text.split(separator: "\n") == [
        "a 1.0 \(other) \(one) https://h/a", "a 2_beta \(own) \(three) https://h/a2", "b 1.0 \(own) \(one)",
        "b 1.0 \(other) \(two)",
      ])
    #expect(lock.remove("b").map(\.sha256) == [one, two])
    #expect(lock.ids == ["a"])
  }

  @Test("comments, empty lines and unchanged lines are written as they were read")
  func comments() throws {
    let text = "# head\n\nb   1.0  \(own)   \(one)   b.so\n  # of a\na 1.0 \(own) \(two)\n# end"
    let path = try scratch.write(text, to: "plugins.lock")
    try PluginLock.update(path) { (lock) throws(PluginError) in
      try lock.pin(PluginLock.Line(id: "a", version: "1.1", architecture: own, sha256: three))
    }
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(written == text.replacing("a 1.0 \(own) \(two)", with: "a 1.1 \(own) \(three)") + "\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["plugins.lock"])
  }

  @Test("updates at the same time wait for each other, and an update that changes nothing writes nothing")
  func concurrentUpdates() async throws {
    let path = scratch("plugins.lock")
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          try PluginLock.update(path) { (lock) throws(PluginError) in
            try lock.pin(PluginLock.Line(id: "p\(number)", sha256: String(repeating: "1", count: 64)))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try PluginLock.read(path)?.lines.count == 20)
    try PluginLock.update(scratch("other.lock")) { (lock) throws(PluginError) in _ = lock.remove("a") }
    #expect(!FileManager.default.fileExists(atPath: scratch("other.lock")))
  }

  @Test("pinning a file again keeps the version and the URL of its hash")
  func repinned() throws {
    var lock = try PluginLock(parsing: "a 1.0 - \(one) https://h/a\n", path: "plugins.lock")
    #expect(lock.file(of: lock.lines[0]) == nil)
    try lock.pin("a", to: one, file: "/new.so")
    #expect(
      lock.lines == [PluginLock.Line(id: "a", version: "1.0", architecture: own, sha256: one, location: "https://h/a")])
    try lock.pin("a", to: two, file: "/new.so")
    #expect(lock.lines == [PluginLock.Line(id: "a", architecture: own, sha256: two, location: "/new.so")])
  }

  @Test("a missing file pins nothing, and an invalid one is reported with its line")
  func broken() throws {
    #expect(try PluginLock.read(scratch("plugins.lock")) == nil)
    for (text, reason) in [
      ("# head\na 1 x86_64 abc x.so\n", "line 2: 'abc' is not an SHA-256; "),
      ("a 1 x86_64\n", "line 1: a part is missing; "),
      ("a - - \(one.dropLast())G x\n", "line 1: '\(one.dropLast())G' is not an SHA-256; "),
      ("\(one)  a  a.so\n", "line 1: it begins with an SHA-256, as in earlier versions of Penstock; "),
    ] {
      let path = try scratch.write(text, to: "plugins.lock")
      let error = #expect(throws: PluginError.self) { try PluginLock.read(path) }
      #expect(error?.code == .lock)
      #expect(error?.message.hasPrefix("'\(path)', \(reason)") == true)
    }
  }

  @Test("a path with a line break is not pinned")
  func lineBreak() throws {
    var lock = PluginLock(path: scratch("plugins.lock"))
    let error = #expect(throws: PluginError.self) { try lock.pin("a", to: one, file: "/a\n\(two)  b  /b.so") }
    #expect(error?.code == .lock)
    #expect(lock.lines.isEmpty)
  }

  @Test("if it cannot be written, the old file stays")
  func unwritable() throws {
    let lock = PluginLock(path: scratch("none/plugins.lock"))
    #expect(throws: PluginError.self) { try lock.write() }
    try scratch.directory("plugins.lock")
    #expect(throws: PluginError.self) { try PluginLock(path: scratch("plugins.lock")).write() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["plugins.lock"])
  }

  @Test(
    "it lies beside the pipeline",
    arguments: [("a/b.yaml", "a/plugins.lock"), ("b.yaml", "plugins.lock"), ("/b", "/plugins.lock")])
  func beside(pipeline: String, lock: String) {
    #expect(PluginLock.path(besidePipeline: pipeline) == lock)
  }
}
