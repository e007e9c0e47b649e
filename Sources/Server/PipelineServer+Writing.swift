import PipelineEngine
import RunHistory
import Workspace

/// What the host writes about itself.
extension PipelineServer {
  /// How long a transaction waits for one of another process. A longer wait is reported, and the transaction is retried.
  static let longestWait = Duration.seconds(3)
  private static let pause = Duration.seconds(1)
  /// The interval at which a lasting problem is reported again.
  private static let reminder = Duration.seconds(60)

  /// Opens the workspace, and creates it if it is missing. If there is no space on the disk, or another process holds the write lock, it retries each second, as for
  /// everything that the host writes later.
  ///
  /// - Throws: ``ServerError`` if the workspace is on a network file system; `WorkspaceError`, or `EngineError`.
  package static func open(
    _ configuration: ServerConfiguration, log: HostLog, states: HostStates = HostStates()
  ) async throws -> PipelineServer {
    let path = "\(configuration.location.path)/workspace.db"
    let failures = WriteFailureTeller(log: log, workspace: configuration.location.path, states: states)
    var failure: WriteFailure?
    // There is no host yet whose clock could be used.
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

  /// Performs a write. If there is no space on the disk, or another process holds the write lock, it retries each second until the host is told to end: no active run
  /// is ended because of it, and the problem is reported as what prevents records from being written.
  ///
  /// - Throws: Other errors of `body`; `CancellationError` if the host was told to end before it was ready.
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

  /// Handles being told to end while the host starts and cannot write: everything that waits to write fails, so that it ends.
  func endWaitingForRoom() async {
    guard phase == .starting, host.writeFailure != nil else { return }
    await host.endHolding()
  }

  /// Returns whether `error` is not a failure, but the consequence of being told to end before the host was ready and could write.
  func isEndAsked(_ error: any Error) -> Bool {
    guard phase == .starting, mail.isDrainAsked else { return false }
    return error is CancellationError || WorkspaceError.ofWaiting(error, path: history.workspace.path) != nil
  }
}
