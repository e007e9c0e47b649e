import Foundation
import LinuxObservers
import PluginKit
import Synchronization
import Testing

@testable import CalendarPlugin

@Suite("Watches of directories", .timeLimit(.minutes(5))) struct DirectoryWatchesTests {
  /// Directories that are deleted with this object.
  private final class Directories: Sendable {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "penstock-watches-" + UUID().uuidString.lowercased()
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file that does not exist, in a directory that does.
    func file(_ name: String) throws -> String {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
      return "\(path)/\(name)/file"
    }
  }

  /// The names of the notified handlers, in order and each once.
  private final class Told: Sendable {
    private let names = Mutex<[String]>([])
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func handler(_ name: String) -> @Sendable () -> Void {
      { [self] in
        names.withLock { if !$0.contains(name) { $0.append(name) } }
        continuation.yield()
      }
    }

    /// Clears the names: writing a file causes several events, the later of which may still have arrived.
    func forget() { names.withLock { $0 = [] } }

    /// Waits until all the expected handlers were notified; returns the notified ones, and clears them.
    func take(with expected: Set<String>) async -> Set<String> {
      for await _ in stream where names.withLock({ expected.isSubset(of: $0) }) { break }
      return names.withLock { names in
        defer { names = [] }
        return Set(names)
      }
    }
  }

  private static func write(_ path: String) throws { try Data("text".utf8).write(to: URL(fileURLWithPath: path)) }

  @Test("Only subscribers of a directory are notified of its events, until they cancel")
  func told() async throws {
    let (directories, watches, told) = (try Directories(), DirectoryWatches(), Told())
    let (one, other) = (try directories.file("one"), try directories.file("other"))
    let first = try watches.subscribe(toDirectoryOf: one, told.handler("first"))
    let second = try watches.subscribe(toDirectoryOf: one, told.handler("second"))
    let third = try watches.subscribe(toDirectoryOf: other, told.handler("third"))
    try Self.write(one)
    #expect(await told.take(with: ["first", "second"]) == ["first", "second"])
    first.cancel()
    told.forget()
    try Self.write(one)
    try Self.write(other)
    // Events arrive in order, so the first can no longer be notified.
    #expect(await told.take(with: ["second", "third"]) == ["second", "third"])
    second.cancel()
    told.forget()
    try Self.write(one)
    try Self.write(other)
    #expect(await told.take(with: ["third"]) == ["third"])
    third.cancel()
    told.forget()
    // After all have cancelled, a new subscription starts again.
    let again = try watches.subscribe(toDirectoryOf: one, told.handler("again"))
    try Self.write(one)
    #expect(await told.take(with: ["again"]) == ["again"])
    again.cancel()
  }

  @Test("Subscribers are notified when a directory is removed, and other directories are unaffected")
  func removed() async throws {
    let (directories, watches, told) = (try Directories(), DirectoryWatches(), Told())
    let (one, other) = (try directories.file("one"), try directories.file("other"))
    let first = try watches.subscribe(toDirectoryOf: one, told.handler("first"))
    let second = try watches.subscribe(toDirectoryOf: other, told.handler("second"))
    try FileManager.default.removeItem(atPath: "\(directories.path)/one")
    #expect(await told.take(with: ["first"]) == ["first"])
    first.cancel()
    told.forget()
    // The same path is now another directory.
    let third = try watches.subscribe(toDirectoryOf: try directories.file("one"), told.handler("third"))
    first.cancel()
    try Self.write(one)
    try Self.write(other)
    #expect(await told.take(with: ["second", "third"]) == ["second", "third"])
    second.cancel()
    third.cancel()
  }

  @Test("A directory that does not exist is an error, and leaves nothing behind")
  func missing() async throws {
    let (directories, watches, told) = (try Directories(), DirectoryWatches(), Told())
    #expect(throws: ObserverError.systemCall("inotify_add_watch", ENOENT)) {
      try watches.subscribe(toDirectoryOf: "\(directories.path)/none/file", told.handler("none"))
    }
    let one = try directories.file("one")
    let first = try watches.subscribe(toDirectoryOf: one, told.handler("first"))
    try Self.write(one)
    #expect(await told.take(with: ["first"]) == ["first"])
    first.cancel()
  }

  @Test("Hundreds of watches share one inotify descriptor, of which a user has few")
  func descriptors() throws {
    func count() -> Int {
      let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return entries.filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == "anon_inode:inotify"
      }.count
    }
    let (directories, watches) = (try Directories(), DirectoryWatches())
    let before = count()
    let subscriptions = try (0..<500).map { try watches.subscribe(toDirectoryOf: directories.file("\($0)")) {} }
    // Other tests have their own.
    #expect(count() - before < 50)
    for subscription in subscriptions { subscription.cancel() }
  }
}
