import Foundation
import Glibc
import Testing

@testable import Workspace

/// Somebody else may have made the directory of a workspace, and what is in it.
@Suite("Files beside the database")
struct OwnFileTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  enum Kind: CaseIterable {
    case danglingLink, link, fifo, socket, folder, device

    /// Puts one at a path; `victim` is what links lead to.
    func make(at path: String, victim: String) throws {
      switch self {
      case .danglingLink: try #require(symlink(victim, path) == 0)
      case .link:
        try Data("untouched".utf8).write(to: URL(fileURLWithPath: victim))
        try #require(symlink(victim, path) == 0)
      case .fifo: try #require(mkfifo(path, 0o600) == 0)
      case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
      case .folder: try #require(mkdir(path, 0o700) == 0)
      // That of /dev/null, which only root may make.
      case .device: try #require(mknod(path, S_IFCHR | 0o600, 0x103) == 0 || geteuid() != 0)
      }
    }
  }

  @Test(
    "A link, a FIFO, a socket, a directory and a device in the place of a lock file are refused, and nobody waits",
    arguments: ["workspace.lock", "workspace.hosts"], Kind.allCases)
  func locks(name: String, kind: Kind) throws {
    if kind == .device, geteuid() != 0 { return }
    let victim = directory.path + "/victim"
    try #require(mkdir(directory.workspace, 0o700) == 0)
    try kind.make(at: "\(directory.workspace)/\(name)", victim: victim)
    let expected = WorkspaceError.notAWorkspace(path: directory.workspace, reason: "\(name) is not a regular file")
    // Once in a directory that has no database yet, and once more in one that has.
    for _ in 0..<2 {
      #expect(throws: expected) { try openNumbers(directory).write { _ in } }
    }
    switch kind {
    case .link: #expect(try String(contentsOfFile: victim, encoding: .utf8) == "untouched")
    default: #expect(access(victim, F_OK) != 0)
    }
  }

  @Test("A link in the place of a file of SQLite is refused", arguments: ["", "-wal", "-shm", "-journal"])
  func database(suffix: String) throws {
    let victim = directory.path + "/victim"
    try #require(mkdir(directory.workspace, 0o700) == 0)
    try #require(symlink(victim, "\(directory.workspace)/workspace.db\(suffix)") == 0)
    let expected = WorkspaceError.notAWorkspace(
      path: directory.workspace, reason: "workspace.db\(suffix) is not a regular file")
    #expect(throws: expected) { try openNumbers(directory).write { _ in } }
    #expect(access(victim, F_OK) != 0)
  }
}
