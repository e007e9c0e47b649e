import Glibc
import PipelineService
import PluginHost
import RunHistory

/// A run in the foreground: the host that runs it, and the thread that shows it.
struct RunSession {
  let service: RunService
  let presentation: RunPresentation
  /// Whether this is the last run of the process.
  var endsProcess = true
  /// Called when a signal requests the end of the run, even if the end is already being shown.
  var onInterruption: @Sendable () -> Void = {}

  /// Runs `body` with a sink for its events, shows the events, and returns how the run ended.
  ///
  /// The first Ctrl-C, SIGTERM or SIGHUP cancels the run, the second one kills its processes, and the third one ends this process.
  func present(
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome {
    let feed = try RunFeed()
    let thread = try PresentationThread(feed: feed, presentation: presentation)
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let (service, presentation, onInterruption) = (service, presentation, onInterruption)
    // Before the run begins, because a plugin may end this process in its first call.
    ProcessGuard.advise("the run is interrupted: `penstock resume` continues it")
    // A separate task, which the thread that receives signals can cancel.
    let run = Task { try await body { if presentation.wants($0) { feed.push($0) } } }
    let handlers = PresentationThread.Handlers { times, canceller in
      // Only the first signal cancels the run.
      if times == 1 { service.attributeCancellations(to: canceller) }
      onInterruption()
      switch times {
      case 1:
        run.cancel()
        Task { await Self.endIfHanging() }
      case 2: service.kill()
      default:
        TextOutput.error.writeMessage("penstock: ended at once; `penstock resume` continues the run")
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
      // Without the thread, the run could not be cancelled.
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
    // Closing retries what could not be written.
    case .failure where endsProcess: try? await service.close()
    default: break
    }
    return try result.get()
  }
}

extension RunSession {
  /// How long a call of a plugin may last after the run was cancelled.
  private static let patience = Duration.seconds(10)

  /// Ends this process if a plugin in it blocks the thread that would cancel the run: nothing else could end it, and a requester that sends only one
  /// signal, such as `timeout`, would wait forever.
  private static func endIfHanging() async {
    guard let call = await HangingCalls.lasting(patience).first else { return }
    TextOutput.error.writeMessage(
      "penstock: \(call) does not return, and the run cannot be cancelled; ended at once; `penstock resume` continues the run"
    )
    ExitStatus.cancelled.finishAtOnce()
  }
}

extension ExitStatus {
  /// Creates the exit status for how `run` ended.
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
