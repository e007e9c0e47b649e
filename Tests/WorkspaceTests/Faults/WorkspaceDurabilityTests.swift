import CFaultVFS
import Foundation
import Testing
import Workspace

/// Simulates a power loss: it leaves the files as they were when last synced.
private final class PowerLoss {
  private let image: TemporaryDirectory
  private let number: Int32
  private var ignored = 0

  /// Keeps an image of the workspace in `directory` from now on.
  init(_ directory: TemporaryDirectory) throws {
    image = try TemporaryDirectory()
    try #require(fault_install() == 0)
    try FileManager.default.createDirectory(atPath: image.workspace, withIntermediateDirectories: true)
    number = fault_image_begin(directory.workspace + "/", image.workspace)
    try #require(number >= 0)
  }

  deinit { fault_image_end(number) }

  /// How often the log was synced since the beginning.
  var logSyncs: Int { Int(fault_image_syncs(number, "-wal")) - ignored }

  /// Marks the beginning. SQLite itself syncs a new log before its first commit.
  func begin() { ignored += logSyncs }

  /// Returns the numbers that remain after the power loss.
  func values() throws -> [Int] {
    let copy = try TemporaryDirectory()
    try FileManager.default.copyItem(atPath: image.workspace, toPath: copy.workspace)
    // It was deleted, and the directory synced, before the log was synced.
    try? FileManager.default.removeItem(atPath: copy.workspace + "/workspace.db-journal")
    let workspace = try openNumbers(copy)
    defer { workspace.close() }
    #expect(try workspace.checkIntegrity() == [])
    return try workspace.values()
  }
}

@Suite("Durability")
struct WorkspaceDurabilityTests {
  let directory: TemporaryDirectory
  private let loss: PowerLoss

  init() throws {
    directory = try TemporaryDirectory()
    loss = try PowerLoss(directory)
  }

  private func open(_ durability: Durability = .powerLoss) throws -> OpenWorkspace {
    let workspace = try OpenWorkspace.open(
      at: directory.workspace, schema: .numbers, mode: .readWrite, durability: durability)
    loss.begin()
    return workspace
  }

  @Test("what a writer has flushed to the disk survives a power loss, at the cost of one sync of the log")
  func writer() async throws {
    let writer = OrderedWriter.numbers(try open(), delay: .zero)
    for number in 0..<100 {
      writer.append(number)
      try await writer.flush()
    }
    #expect(loss.logSyncs == 0)
    writer.append(100)
    try await writer.flushToDisk()
    #expect(loss.logSyncs == 1)
    #expect(try loss.values() == Array(0...100))
    try await writer.close()
  }

  @Test("a flush to the disk also syncs what was flushed before, even if there is nothing else to write")
  func later() async throws {
    let writer = OrderedWriter.numbers(try open())
    writer.append(1)
    try await writer.flush()
    try await writer.flushToDisk()
    #expect(try loss.values() == [1])
    // Nothing was committed since.
    try await writer.flushToDisk()
    #expect(loss.logSyncs == 1)
    try await writer.close()
  }

  @Test("concurrent flushes to the disk share a sync")
  func shared() async throws {
    let writer = OrderedWriter.numbers(try open())
    // Blocks the writer until all flushes wait.
    let gate = DispatchSemaphore(value: 0)
    async let held: Void = writer.perform { _ in gate.wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        writer.append(number)
        group.addTask { try await writer.flushToDisk() }
      }
      gate.signal()
      try await group.waitForAll()
    }
    try await held
    #expect(try loss.values() == Array(0..<20))
    // Some may arrive after the first ones were committed.
    #expect(loss.logSyncs < 20)
    try await writer.close()
  }

  @Test("a committed transaction is on disk after a flush to the disk, and not before")
  func transaction() throws {
    let workspace = try open()
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (7)") }
    #expect(loss.logSyncs == 0)
    try workspace.flushToDisk()
    #expect(try loss.values() == [7])
    #expect(loss.logSyncs == 1)
  }

  @Test("a workspace that need not survive a power loss never waits for the disk")
  func process() async throws {
    let workspace = try open(.process)
    let writer = OrderedWriter.numbers(workspace)
    writer.append(1)
    try await writer.flushToDisk()
    #expect(try workspace.values() == [1])
    try workspace.flushToDisk()
    #expect(loss.logSyncs == 0)
    try await writer.close()
  }

  @Test("a closed writer does not claim that anything is on disk")
  func closed() async throws {
    let workspace = try open()
    let writer = OrderedWriter.numbers(workspace)
    try await writer.close()
    await #expect(throws: WorkspaceError.closed(path: workspace.path)) { try await writer.flushToDisk() }
  }
}
