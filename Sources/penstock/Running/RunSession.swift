import Glibc
import PipelineService
import PluginHost
import RunHistory

/// One run in the foreground: the host that runs it, and the thread that shows it.
struct RunSession {
  let service: RunService
  let presentation: RunPresentation
  /// Whether nothing is run after this.
  var endsProcess = true
  /// Called when a signal asks the run to end, also while the end of the run is being shown.
  var onInterruption: @Sendable () -> Void = {}

  /// Runs `body` with a place for its events, shows what happens, and returns how the run ended.
  ///
  /// Ctrl-C, SIGTERM and SIGHUP cancel the run; the second time they kill its processes, the third time they end this process.
  func present(
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome {
    let feed = try RunFeed()
    let thread = try PresentationThread(feed: feed, presentation: presentation)
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let (service, presentation, onInterruption) = (service, presentation, onInterruption)
    // Before the run begins: a plugin may end this process with its first call.
    ProcessGuard.advise("the run is interrupted: `penstock resume` continues it")
    // A task of its own, for the thread that takes the signals to cancel.
    let run = Task { try await body { if presentation.wants($0) { feed.push($0) } } }
    let handlers = PresentationThread.Handlers { times, canceller in
      // Only the first one cancels the run.
      if times == 1 { service.attributeCancellations(to: canceller) }
      onInterruption()
      switch times {
      case 1:
        run.cancel()
        Task { await Self.endIfHanging() }
      case 2: service.kill()
      default:
        TextOutput.error.writeLine("penstock: ended at once; `penstock resume` continues the run")
        ExitStatus.cancelled.finishAtOnce()
      }
    } onJobControl: { isStopping in
      service.noticeForeground(isStopping: isStopping)
    } onEnd: {
      ending.finish()
    }
    do {
      try thread.start(handlers)
    } catch {
      // Without it nobody could end the run.
      run.cancel()
      _ = await run.result
      ProcessGuard.advise("")
      throw error
    }
    let result = await withTaskCancellationHandler {
      await run.result
    } onCancel: {
      run.cancel()
    }
    ProcessGuard.advise("")
    switch result {
    case .success(let outcome): feed.finish(.outcome(outcome))
    case .failure: feed.finish(.abandoned)
    }
    for await _ in ended {}
    switch result {
    case .success where endsProcess: try await service.finish()
    // What could not be written is tried once more.
    case .failure where endsProcess: try? await service.close()
    default: break
    }
    return try result.get()
  }
}

extension RunSession {
  /// How long a call of a plugin may last after the run was to end.
  private static let patience = Duration.seconds(10)

  /// Ends this process where a plugin in it keeps the thread that would cancel the run: nobody else could, and whoever asked only
  /// once, as `timeout` does, would wait for ever.
  private static func endIfHanging() async {
    guard let call = await HangingCalls.lasting(patience).first else { return }
    TextOutput.error.writeLine(
      "penstock: \(call) does not return, and the run cannot be cancelled; ended at once; `penstock resume` continues the run"
    )
    ExitStatus.cancelled.finishAtOnce()
  }
}

extension ExitStatus {
  /// The status that tells how `run` ended.
  init(of run: RunRecord) {
    self =
      switch run.state {
      case .succeeded: .succeeded
      case .cancelled: .cancelled
      case .failed, .interrupted: .failed
      case .queued, .running: .engineFailed
      }
  }
}
