import Foundation
import Glibc
import Testing

@testable import Workspace

/// Another user may have created the directory of a workspace and its contents.
@Suite("Files beside the database")
struct OwnFileTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  enum Kind: CaseIterable {
    case danglingLink, link, fifo, socket, folder, device

    /// Creates one at a path; links lead to `victim`.
    func make(at path: String, victim: String) throws {
      switch self {
      case .danglingLink: try #require(symlink(victim, path) == 0)
      case .link:
        try Data("untouched".utf8).write(to: URL(fileURLWithPath: victim))
        try #require(symlink(victim, path) == 0)
      case .fifo: try #require(mkfifo(path, 0o600) == 0)
      case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
      case .folder: try #require(mkdir(path, 0o700) == 0)
      // The device number of /dev/null, which only root may create.
      case .device: try #require(mknod(path, S_IFCHR | 0o600, 0x103) == 0 || geteuid() != 0)
      }
    }
  }

  @Test(
    "A link, FIFO, socket, directory or device in place of a lock file is refused without blocking",
    arguments: ["workspace.lock", "workspace.hosts"], Kind.allCases)
  func locks(name: String, kind: Kind) throws {
    if kind == .device, geteuid() != 0 { return }
    let victim = directory.path + "/victim"
    try #require(mkdir(directory.workspace, 0o700) == 0)
    try kind.make(at: "\(directory.workspace)/\(name)", victim: victim)
    let expected = WorkspaceError.notAWorkspace(path: directory.workspace, reason: "\(name) is not a regular file")
    // First in a directory without a database, then in one with a database.
    for _ in 0..<2 {
      #expect(throws: expected) { try openNumbers(directory).write { _ in } }
    }
    switch kind {
    case .link: #expect(try String(contentsOfFile: victim, encoding: .utf8) == "untouched")
    default: #expect(access(victim, F_OK) != 0)
    }
  }

  @Test("A link in place of one of SQLite's files is refused", arguments: ["", "-wal", "-shm", "-journal"])
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
