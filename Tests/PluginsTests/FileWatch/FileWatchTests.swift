import Foundation
import PluginKit
import PluginKitTesting
import Testing

@testable import FileWatchPlugin

@Suite("file-watch", .timeLimit(.minutes(5)))
struct FileWatchTests {
  private let folder: WatchedFolder
  private let host: TestPluginHost

  init() throws {
    folder = try WatchedFolder()
    host = try TestPluginHost(FileWatch.self)
  }

  /// Returns a controller that is already watching.
  private func start(_ settings: JSONValue, directory: String? = nil) async throws -> TestInstance {
    let instance = try host.controller("file-watch", with: settings)
    instance.start(directory.map { ["directory": .string($0)] } ?? [:])
    await host.hasLogged("watching ")
    return instance
  }

  /// Advances the clock until this many events have arrived, and returns the changes in the last one.
  private func changes(_ instance: TestInstance, after count: Int) async -> [String] {
    // The clock advances only from here on, after all changes of the test's files.
    let time = Task { [host] in
      while true {
        await host.clock.hasTimers()
        if Task.isCancelled { return }
        host.clock.advance(by: .seconds(1))
      }
    }
    defer { time.cancel() }
    let events = await instance.events(count)
    guard events.count >= count, case .rerun(let event) = events[count - 1] else { return ["\(events)"] }
    return (event["changes"]?.arrayValue ?? []).map { change in
      let path = { (name: String) in
        change[name]?.stringValue.map { $0.replacingOccurrences(of: folder.path, with: ".") }
      }
      return "\(change["event"]?.stringValue ?? "?") \(path("path") ?? "?")"
        + (path("from").map { " from \($0)" } ?? "")
    }
  }

  @Test("Created, changed, moved and deleted files are reported, with their paths")
  func kinds() async throws {
    let instance = try await start(["path": .string(folder.path)])
    try folder.write("one", to: "a.txt")
    #expect(await changes(instance, after: 1) == ["create ./a.txt"])
    try folder.write("other", to: "a.txt")
    #expect(await changes(instance, after: 2) == ["modify ./a.txt"])
    folder.move("a.txt", "b.txt")
    #expect(await changes(instance, after: 3) == ["move ./b.txt from ./a.txt"])
    folder.remove("b.txt")
    #expect(await changes(instance, after: 4) == ["delete ./b.txt"])
    instance.stop()
    #expect(try await instance.end() == nil)
    #expect(host.faults.isEmpty)
  }

  @Test("Simultaneous changes are one event, which lists them all")
  func together() async throws {
    let instance = try await start(["path": .string(folder.path)])
    for name in ["c", "a", "b"] { try folder.write("x", to: name) }
    #expect(await changes(instance, after: 1) == ["create ./a", "create ./b", "create ./c"])
    guard case .rerun(let event) = instance.events[0] else { return }
    #expect(event["reason"] == .string("\(folder.path)/a: create, and 2 more"))
    #expect(event["count"] == 3)
    instance.destroy()
  }

  @Test("Only changes that match a pattern and an event are reported")
  func filters() async throws {
    let instance = try await start(["path": .string(folder.path), "patterns": ["*.csv"], "events": ["create"]])
    try folder.write("x", to: "a.txt")
    try folder.write("x", to: "a.csv")
    #expect(await changes(instance, after: 1) == ["create ./a.csv"])
    instance.destroy()
  }

  @Test("Directories below are watched on request, including the content of new ones")
  func recursive() async throws {
    try folder.write("x", to: "old/deep/file")
    let instance = try await start(["path": .string(folder.path), "recursive": true, "patterns": ["*file*"]])
    try folder.write("other", to: "old/deep/file")
    #expect(await changes(instance, after: 1) == ["modify ./old/deep/file"])
    try folder.write("x", to: "new/deeper/still/file")
    #expect(await changes(instance, after: 2) == ["create ./new/deeper/still/file"])
    try folder.write("y", to: "new/deeper/file2")
    #expect(await changes(instance, after: 3) == ["create ./new/deeper/file2"])
    instance.destroy()
  }

  @Test("A path that does not exist yet, and a directory that is replaced, are followed")
  func replaced() async throws {
    let instance = try await start(["path": "in/box"], directory: folder.path)
    try folder.write("x", to: "in/box/file")
    #expect(await changes(instance, after: 1) == ["create ./in/box", "create ./in/box/file"])
    folder.move("in", "gone")
    #expect(await changes(instance, after: 2) == ["delete ./in/box", "delete ./in/box/file"])
    try folder.write("x", to: "next/box/other")
    folder.move("next", "in")
    #expect(await changes(instance, after: 3) == ["create ./in/box", "create ./in/box/other"])
    try folder.write("more", to: "in/box/other")
    #expect(await changes(instance, after: 4) == ["modify ./in/box/other"])
    instance.destroy()
  }

  @Test("A single file is watched by its name, even if another file replaces it")
  func singleFile() async throws {
    try folder.write("x", to: "config")
    let instance = try await start(["path": .string("\(folder.path)/config")])
    try folder.write("new", to: "elsewhere")
    folder.move("elsewhere", "config")
    #expect(await changes(instance, after: 1) == ["modify ./config"])
    instance.destroy()
  }

  @Test("When the kernel drops events, everything is scanned again, and nothing is lost")
  func overflow() throws {
    let tree = try FileTree(root: folder.path, isRecursive: true)
    try folder.write("x", to: "a")
    try folder.write("x", to: "deep/b")
    // As after an overflow, regardless of earlier events.
    _ = tree.drain()
    let changes = try tree.changes(in: .everything)
    #expect(changes.map(\.path) == ["a", "deep", "deep/b"])
    try folder.write("more", to: "deep/b")
    #expect(try tree.changes(in: tree.drain()).map(\.path) == ["deep/b"])
  }
}

/// A directory that a test changes.
private final class WatchedFolder: Sendable {
  let path: String

  init() throws {
    let path = NSTemporaryDirectory() + "penstock-watch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    self.path =
      realpath(path, nil).map { pointer in
        defer { free(pointer) }
        return String(cString: pointer)
      } ?? path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let file = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: false, encoding: .utf8)
  }

  func move(_ from: String, _ to: String) { rename("\(path)/\(from)", "\(path)/\(to)") }
  func remove(_ name: String) { unlink("\(path)/\(name)") }
}
