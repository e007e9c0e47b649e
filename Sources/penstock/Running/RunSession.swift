import Glibc
import Pipelines

/// One run in the foreground: the host that runs it, and the thread that shows it.
struct RunSession {
  let host: RunHost
  let presentation: RunPresentation
  /// Whether nothing is run after this.
  var closesHost = true

  /// Runs `body` with a place for its events, shows what happens, and returns how the process should end.
  ///
  /// Ctrl-C, SIGTERM and SIGHUP cancel the run; the second time they kill its processes, the third time they end this process.
  func present(
    _ body: @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> ExitStatus {
    let feed = try RunFeed()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let host = host
    let thread = try PresentationThread(feed: feed, presentation: presentation) { times in
      switch times {
      case 1: host.cancel()
      case 2: host.kill()
      default:
        TextOutput.error.writeLine("penstock: ended at once; `penstock resume` goes on with the run")
        _exit(ExitStatus.cancelled.rawValue)
      }
    } onJobControl: { isStopping in
      host.noticeForeground(isStopping: isStopping)
    } onEnd: {
      ending.finish()
    }
    try thread.start()
    let outcome: RunOutcome
    do {
      let presentation = presentation
      outcome = try await body { if presentation.wants($0) { feed.push($0) } }
    } catch {
      feed.finish(.abandoned)
      for await _ in ended {}
      if closesHost { try? await host.close() }
      throw error
    }
    feed.finish(.outcome(outcome))
    for await _ in ended {}
    if closesHost { try await host.close() }
    return Self.status(of: outcome.run)
  }

  /// The status that tells how the run ended.
  static func status(of run: RunRecord) -> ExitStatus {
    switch run.state {
    case .succeeded: .succeeded
    case .cancelled: .cancelled
    case .failed, .interrupted: .failed
    case .queued, .running: .engineFailed
    }
  }
}
