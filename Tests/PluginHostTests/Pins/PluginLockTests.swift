import Foundation
import PluginHost
import Testing

@Suite("plugins.lock")
struct PluginLockTests {
  private let scratch: Scratch
  private let one = String(repeating: "1", count: 64)
  private let two = String(repeating: "2", count: 64)

  init() throws { scratch = try Scratch() }

  @Test("a written file is read back, with paths relative to it where they are below it")
  func roundTrip() throws {
    var lock = PluginLock(path: scratch("plugins.lock"))
    try lock.pin("calendar", to: one, file: "/usr/lib/a b/libpenstock-calendar.so")
    try lock.pin("a", to: two, file: scratch("plugins/a.so"))
    try lock.write()
    let read = try #require(try PluginLock.read(scratch("plugins.lock")))
    #expect(read == lock)
    #expect(read.lines.map(\.path) == ["/usr/lib/a b/libpenstock-calendar.so", "plugins/a.so"])
    #expect(read.lines.map(read.file(of:)) == ["/usr/lib/a b/libpenstock-calendar.so", scratch("plugins/a.so")])
    #expect(
      lock.text.split(separator: "\n").dropFirst() == [
        "\(one)  calendar  /usr/lib/a b/libpenstock-calendar.so", "\(two)  a         plugins/a.so",
      ])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["plugins.lock"])
  }

  @Test("a plugin is pinned to each of its lines, and pinning it again replaces them where the first was")
  func several() throws {
    let text = "# comment\n\n\(one)  a  x.so\n\(two) b y.so\r\n\(two)  a  z.so\n"
    var lock = try PluginLock(parsing: text, path: "plugins.lock")
    #expect(lock.pin("a")?.hashes == [one, two])
    #expect(lock.pin("b")?.place == "'plugins.lock' (line 4)")
    #expect(lock.pin("a")?.place == "'plugins.lock' (lines 3, 5)")
    #expect(lock.pin("c") == nil)
    let three = String(repeating: "3", count: 64)
    try lock.pin("a", to: three, file: "/new.so")
    #expect(lock.lines.map(\.id) == ["a", "b"])
    #expect(lock.pin("a")?.hashes == [three])
    #expect(lock.pin("a")?.place == "'plugins.lock'")
  }

  @Test("a missing file pins nothing, and an invalid one is reported with its line")
  func broken() throws {
    #expect(try PluginLock.read(scratch("plugins.lock")) == nil)
    for (text, reason) in [
      ("# head\nabc  a  x.so\n", "line 2: 'abc' is not an SHA-256; "), ("\(one)  a\n", "line 1: a part is missing; "),
      ("\(one.dropLast())G a x\n", "line 1: '\(one.dropLast())G' is not an SHA-256; "),
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
