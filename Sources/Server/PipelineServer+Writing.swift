import PipelineEngine
import RunHistory
import Workspace

/// What it writes of itself.
extension PipelineServer {
  /// How long a transaction waits for one of another process. What lasts longer is told, and tried again.
  static let longestWait = Duration.seconds(3)
  private static let pause = Duration.seconds(1)
  /// How long after it was told of, what lasts is told of again.
  private static let reminder = Duration.seconds(60)

  /// Opens the workspace, which is created when it is missing. Where there is no room on the disk, or another process holds the write lock, that is tried again each second, as all that the host
  /// writes later.
  ///
  /// - Throws: ``ServerError`` where it is on a network file system; `WorkspaceError`, or `EngineError`.
  package static func open(
    _ configuration: ServerConfiguration, log: HostLog, states: HostStates = HostStates()
  ) async throws -> PipelineServer {
    let path = "\(configuration.location.path)/workspace.db"
    let failures = WriteFailureTeller(log: log, workspace: configuration.location.path, states: states)
    var failure: WriteFailure?
    // There is no host yet whose clock it could go by.
    var toldAt = ContinuousClock.now
    while true {
      do {
        let server = try PipelineServer(configuration, log: log, states: states, failures)
        if let failure { failures.recovered(failure) }
        return server
      } catch {
        guard let cause = WorkspaceError.ofWaiting(error, path: path) else { throw error }
        let isFirst = failure == nil
        failure = failure ?? WriteFailure(error: cause, since: .now)
        failure?.error = cause
        if let failure, isFirst || ContinuousClock.now - toldAt >= reminder {
          toldAt = .now
          failures.failed(failure)
        }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Does what writes. Where there is no room on the disk, or another process holds the write lock, that is tried again each second until it is told to end: nothing that goes on is
  /// ended for it, and it is told of as what keeps records from being written.
  ///
  /// - Throws: What `body` throws for other reasons; `CancellationError` where it was told to end before it was ready.
  func write(_ body: () throws -> Void) async throws {
    var isTold = false
    defer { if isTold { host.foundRoom() } }
    while true {
      do {
        return try body()
      } catch {
        guard let failure = WorkspaceError.ofWaiting(error, path: history.workspace.path) else { throw error }
        if !isTold { host.lacksRoom(failure) }
        isTold = true
        guard !mail.isDrainAsked, (try? await host.delay(for: Self.pause)) != nil else {
          guard phase != .starting else { throw CancellationError() }
          return
        }
      }
    }
  }

  /// Told to end while it starts and cannot write: whatever waits for that is told that it cannot be written, so that it ends.
  func endWaitingForRoom() async {
    guard phase == .starting, host.writeFailure != nil else { return }
    await host.endHolding()
  }

  /// What came of a host that was told to end before it was ready, where it could not write.
  ///
  /// - Returns: Whether `error` is no failure, but follows from that.
  func isEndAsked(_ error: any Error) -> Bool {
    guard phase == .starting, mail.isDrainAsked else { return false }
    return error is CancellationError || WorkspaceError.ofWaiting(error, path: history.workspace.path) != nil
  }
}
