import Foundation
import Testing
import Workspace

@Suite("Snapshots")
struct SnapshotTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  private func write(_ ids: String...) throws {
    // Another connection, so that a synchronous test can write inside a snapshot.
    let other = try openJobs(directory)
    try other.write { db in
      for id in ids {
        try db.execute(
          sql: "INSERT INTO note (number, text) VALUES (?, 'x')", arguments: [Int(id) ?? 0])
      }
    }
    other.close()
  }

  private func numbers(_ fetch: Fetch<Note>) throws -> [Int] { try fetch.all().map(\.number) }

  @Test("A snapshot does not change while others write; the workspace shows the latest state")
  func stays() throws {
    try write("1")
    try workspace.fetchWithinASnapshot { snapshot in
      try write("2")
      #expect(try numbers(snapshot.fetch(for: Note.self)) == [1])
      #expect(try numbers(workspace.fetch(for: Note.self)) == [1, 2])
      try write("3")
      #expect(try numbers(snapshot.fetch(for: Note.self)) == [1])
    }
  }

  @Test("Nested snapshots have their own states, and the outer one outlives the inner one")
  func nested() throws {
    try write("1")
    try workspace.fetchWithinASnapshot { outer in
      try write("2")
      try workspace.fetchWithinASnapshot { inner in
        try write("3")
        #expect(try numbers(inner.fetch(for: Note.self)) == [1, 2])
        #expect(try outer.fetchWithinASnapshot { try numbers($0.fetch(for: Note.self)) } == [1])
        #expect(try numbers(outer.fetch(for: Note.self)) == [1])
      }
      #expect(try numbers(outer.fetch(for: Note.self)) == [1])
    }
    #expect(try numbers(workspace.fetch(for: Note.self)) == [1, 2, 3])
  }

  @Test("Deeply nested snapshots do not wait for each other")
  func deep() throws {
    func nest(_ depth: Int) throws -> Int {
      try workspace.fetchWithinASnapshot { snapshot in
        _ = try snapshot.fetch(for: Note.self).all()
        return depth == 0 ? 0 : try nest(depth - 1) + 1
      }
    }
    #expect(try nest(20) == 20)
  }

  @Test("A snapshot of one workspace does not affect another")
  func twoWorkspaces() async throws {
    let elsewhere = try OpenWorkspace.open(at: directory.path + "/elsewhere", schema: .jobs, mode: .readWrite)
    try write("1")
    try await elsewhere.performChanges([Note.self]) { try $0.submit(Note.creationRequest(Note(number: 7, text: ""))) }
    #expect(try workspace.fetchWithinASnapshot { _ in try numbers(elsewhere.fetch(for: Note.self)) } == [7])
    let workspace = workspace
    let found = try await elsewhere.performChanges([Note.self]) { _ in
      try workspace.fetch(for: Note.self).all().map(\.number)
    }
    #expect(found == [1])
  }

  @Test("Using a snapshot after its end is a typed error")
  func ended() throws {
    let leaked = try workspace.fetchWithinASnapshot { $0 }
    #expect(throws: WorkspaceError.snapshotEnded(path: workspace.path)) { try numbers(leaked.fetch(for: Note.self)) }
  }

  @Test(
    "A long snapshot does not let the log grow endlessly: it expires with an error, even in a read-only process",
    arguments: [OpenWorkspace.Mode.readWrite, .readOnly])
  func expires(mode: OpenWorkspace.Mode) async throws {
    let workspace = workspace
    let reader = mode == .readWrite ? workspace : try openJobs(directory, mode: mode)
    /// SQLite writes only what differs, so each megabyte is different.
    @Sendable func write(_ number: UInt8) async throws {
      try await workspace.performChanges([Job.self]) { context in
        let block = [UInt8](repeating: number, count: 1 << 20)
        try context.submit(Job.upsertRequest(Job(id: "a", log: block)))
      }
    }
    func logLength() throws -> Int {
      let size = try FileManager.default.attributesOfItem(atPath: workspace.path + "-wal")[.size] as? NSNumber
      return size?.intValue ?? 0
    }
    try await workspace.add([Job(id: "a")])
    // In a separate task, because a snapshot's closure is synchronous.
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let written = DispatchSemaphore(value: 0)
    let error = Task.detachedThread {
      try reader.fetchWithinASnapshot { snapshot in
        #expect(try snapshot.fetch(for: Job.self).count() == 1)
        beginning.finish()
        written.wait()
        // A reader checks the log once a second.
        for _ in 0..<10_000 {
          _ = try snapshot.fetch(for: Job.self).count()
          usleep(1000)
        }
      }
    }
    for await _ in begun {}
    for number in UInt8(0)..<80 { try await write(number) }
    written.signal()
    #expect(await error.value as? WorkspaceError == .snapshotExpired(path: workspace.path))
    for number in UInt8(0)..<40 { try await write(number) }
    // It has restarted, and released the space.
    #expect(try logLength() <= 20 << 20)
  }
}

extension Task where Success == (any Error)?, Failure == Never {
  /// Returns the error that `body` throws on its own thread, which may block.
  fileprivate static func detachedThread(_ body: @escaping @Sendable () throws -> Void) -> Self {
    Task {
      await withCheckedContinuation { continuation in
        Thread {
          do {
            try body()
            continuation.resume(returning: nil)
          } catch {
            continuation.resume(returning: error)
          }
        }.start()
      }
    }
  }
}
