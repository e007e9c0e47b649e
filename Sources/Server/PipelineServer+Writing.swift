import PipelineEngine
import Workspace

/// What it writes of itself while it serves.
extension PipelineServer {
  /// How long a transaction waits for one of another process. What lasts longer is told, and tried again.
  static let longestWait = Duration.seconds(3)

  /// Does what writes. Where there is no room on the disk, or another process holds the write lock, that is tried again each second until it is told to end: nothing that goes on is
  /// ended for it, and it is told of as what keeps records from being written.
  ///
  /// - Throws: What `body` throws for other reasons; before it serves, also that the disk is full.
  func write(_ body: () throws -> Void) async throws {
    var isTold = false
    defer { if isTold { host.foundRoom() } }
    while true {
      do {
        return try body()
      } catch {
        guard let failure = WorkspaceError.ofWaiting(error, path: history.workspace.path), mayWaitOut(failure) else {
          throw error
        }
        if !isTold { host.lacksRoom(failure) }
        isTold = true
        guard !mail.isDrainAsked, (try? await host.delay(for: .seconds(1))) != nil else {
          guard phase != .starting else { throw error }
          return
        }
      }
    }
  }

  /// A host that starts on a full disk may as well not, but one that waits for another process would do so again when it is started again.
  private func mayWaitOut(_ failure: WorkspaceError) -> Bool {
    if case .locked = failure { true } else { phase != .starting }
  }
}
