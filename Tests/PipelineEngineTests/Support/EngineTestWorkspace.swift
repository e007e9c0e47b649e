import Foundation
import Synchronization
import Workspace

@testable import PipelineEngine
@testable import RunHistory

/// A temporary workspace with its writer and an event loop: most of what a host costs a test.
struct EngineTestWorkspace: Sendable {
  let directory = NSTemporaryDirectory() + "penstock-engine-\(UUID().uuidString)"
  let history: History
  let recorder: HistoryRecorder
  let loop: EventLoop
  private let isLent: Bool

  init(isLent: Bool, durability: Durability) throws {
    self.isLent = isLent
    history = try History.open(at: directory + "/workspace", mode: .readWrite, durability: durability)
    recorder = HistoryRecorder(workspace: history.workspace)
    loop = try EventLoop()
    try loop.start()
  }

  private struct Lent {
    var free: [EngineTestWorkspace] = []
    var directories: [String] = []
  }

  private static let lent = Mutex(Lent())

  /// Returns a workspace that is not in use, whose runs do not wait for the disk. All lent workspaces are removed at the end of the process.
  static func lend() throws -> EngineTestWorkspace {
    if let free = lent.withLock({ $0.free.popLast() }) { return free }
    let new = try EngineTestWorkspace(isLent: true, durability: .process)
    let isFirst = lent.withLock { lent in
      lent.directories.append(new.directory)
      return lent.directories.count == 1
    }
    if isFirst { atexit { EngineTestWorkspace.removeLent() } }
    return new
  }

  private static func removeLent() {
    for directory in lent.withLock({ $0.directories }) { try? FileManager.default.removeItem(atPath: directory) }
  }

  func giveBack() async {
    if isLent { return Self.lent.withLock { $0.free.append(self) } }
    try? await recorder.close()
    history.workspace.close()
    loop.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
