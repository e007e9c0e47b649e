import PipelineEngine
import Workspace

/// What it writes of itself while it serves.
extension PipelineServer {
  /// Does what writes. Where there is no room on the disk, that is tried again each second until it is told to end: nothing that goes on is ended for it.
  ///
  /// - Throws: What `body` throws for other reasons, or before it serves.
  func write(_ body: () throws -> Void) async throws {
    var isTold = false
    while true {
      do {
        return try body()
      } catch {
        guard phase != .starting, WorkspaceError.isOfFullDisk(error, path: history.workspace.path) else { throw error }
        if !isTold {
          log.tell(.error, "write-failed", "cannot record what is served, and tries it again each second: \(error)")
        }
        isTold = true
        guard !mail.isDrainAsked, (try? await host.delay(for: .seconds(1))) != nil else { return }
      }
    }
  }
}
