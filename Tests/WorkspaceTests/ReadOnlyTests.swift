import Foundation
import Glibc
import SQLite
import Testing
import Workspace

/// Runs `body` on a thread with the rights of an ordinary user, which root's tests need to be denied access.
private func withoutPrivileges<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread {
      if geteuid() == 0 { becomeNobody() }
      continuation.resume(with: Result { try body() })
    }.start()
  }
}

/// On Linux the file system user ID belongs to the thread. The C library's module map omits its header.
private func becomeNobody() {
  typealias SetUser = @convention(c) (UInt32) -> Int32
  guard let function = dlsym(nil, "setfsuid") else { return }
  _ = unsafeBitCast(function, to: SetUser.self)(65534)
}

@Suite("A workspace without write permission")
struct ReadOnlyTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let workspace = try openNumbers(directory)
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (5)") }
    workspace.close()
  }

  private func permit(_ directoryMode: Int, files: Int) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.workspace) {
      try FileManager.default.setAttributes(
        [.posixPermissions: files], ofItemAtPath: directory.workspace + "/" + name)
    }
    try FileManager.default.setAttributes([.posixPermissions: directoryMode], ofItemAtPath: directory.workspace)
  }

  private func writeBackLog() throws {
    let queue = try DatabaseQueue(path: directory.workspace + "/workspace.db")
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
  }

  @Test("can be read, and a write gives a typed error", arguments: [OpenWorkspace.Mode.readOnly, .readWrite])
  func withLog(mode: OpenWorkspace.Mode) async throws {
    try permit(0o555, files: 0o444)
    defer { try? permit(0o755, files: 0o644) }
    let path = directory.workspace
    try await withoutPrivileges {
      let workspace = try OpenWorkspace.open(at: path, schema: .numbers, mode: mode)
      #expect(try workspace.values() == [5])
      #expect(throws: WorkspaceError.readOnly(path: workspace.path)) { try workspace.write { _ in } }
    }
  }

  @Test(
    "is not reported as missing if it may not be entered",
    arguments: [OpenWorkspace.Mode.readOnly, .readWrite])
  func notEntered(mode: OpenWorkspace.Mode) async throws {
    try permit(0o600, files: 0o600)
    defer { try? permit(0o755, files: 0o644) }
    let path = directory.workspace
    // Other users may not even access root's directory.
    try await withoutPrivileges {
      _ = #expect(throws: WorkspaceError.notPermitted(path: path)) {
        try OpenWorkspace.open(at: path, schema: .numbers, mode: mode)
      }
    }
  }

  @Test("is reported with the file that may not be read", arguments: [OpenWorkspace.Mode.readOnly, .readWrite])
  func notRead(mode: OpenWorkspace.Mode) async throws {
    try permit(0o755, files: 0o000)
    defer { try? permit(0o755, files: 0o644) }
    let path = directory.workspace
    try await withoutPrivileges {
      let error = #expect(throws: WorkspaceError.self) {
        try OpenWorkspace.open(at: path, schema: .numbers, mode: mode).values()
      }
      #expect(error == .notPermitted(path: path + "/workspace.db"))
    }
  }

  @Test("can be read if SQLite left nothing beside the file")
  func withoutLog() async throws {
    // What was written is in the file after a checkpoint.
    try writeBackLog()
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.workspace + "/workspace.db" + suffix)
    }
    try permit(0o555, files: 0o444)
    defer { try? permit(0o755, files: 0o644) }
    let path = directory.workspace
    try await withoutPrivileges {
      let workspace = try OpenWorkspace.open(at: path, schema: .numbers, mode: .readWrite)
      #expect(workspace.isReadOnly)
      #expect(try workspace.values() == [5])
      #expect(try GuardedQuery("SELECT value FROM number", on: workspace).next() == [.int(5)])
    }
  }
}
