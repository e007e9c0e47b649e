import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Synchronization

/// Shows a watched pipeline on the terminal, and handles signals both during runs and between them. Its status is that of the last report.
final class WatchTerminal: WatchObserver {
  private let service: RunService
  /// How runs are shown; without a pipeline.
  private let presentation: RunPresentation
  private let latest = Mutex(ExitStatus.succeeded)

  init(service: RunService, presentation: RunPresentation) {
    self.service = service
    self.presentation = presentation
  }

  /// The exit status of the process.
  var status: ExitStatus { latest.withLock { $0 } }

  var events: RunEventRange { presentation.events }

  func show(
    _ pipeline: PipelineDefinition, onInterruption: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome {
    var presentation = presentation
    presentation.pipeline = pipeline
    let session = RunSession(
      service: service, presentation: presentation, endsProcess: false,
      onInterruption: onInterruption)
    return try await session.present(body)
  }

  func idle(onInterruption: @escaping @Sendable () -> Void) throws -> @Sendable () async -> Void {
    var presentation = presentation
    presentation.isIdle = true
    let feed = try RunFeed()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let thread = try PresentationThread(feed: feed, presentation: presentation)
    try thread.start(
      .init(onSignal: { _, _ in onInterruption() }) { [service] isStopping in
        service.noticeForeground(isStopping: isStopping)
      } onEnd: {
        ending.finish()
      })
    return {
      feed.finish(.abandoned)
      for await _ in ended {}
    }
  }

  func ended(_ run: RunRecord) {
    latest.withLock { $0 = ExitStatus(of: run) }
  }

  func refused(_ error: any Error) {
    let status = ExitStatus.report(error)
    latest.withLock { $0 = status }
  }

  func tell(_ notice: WatchNotice) {
    if !presentation.isQuiet { TextOutput.error.writeMessage("penstock: \(notice.text)") }
  }
}

extension WatchNotice {
  fileprivate var text: String {
    switch self {
    case .changed(let path): return "\(path) has changed"
    case .asked(let controller, let reason):
      return "\(controller) asks for a run\(TerminalText.oneLine(reason.map { ": \($0)" } ?? ""))"
    case .conditionIsTrue(let condition): return "\(condition) is true"
    case .waiting(let files, let causes):
      let others = files.count == 1 ? "" : files.count == 2 ? " and 1 more file" : " and \(files.count - 1) more files"
      let condition = causes.isEmpty ? "" : ", and for \(causes.joined(separator: ", "))"
      return "waiting for changes of \(files.first ?? "nothing")\(others)\(condition)\(Self.end)"
    case .waitingForCorrection(let files):
      return "waiting for changes of \(files.joined(separator: ", "))\(Self.end)"
    }
  }

  /// How to end the watching: a key, if keys are received.
  private static var end: String {
    let isReached = !SignalSource.isIgnored(SIGINT) && ForegroundTerminal.isOurs(STDERR_FILENO)
    return isReached ? "; Ctrl-C ends this" : SignalSource.isIgnored(SIGTERM) ? "" : "; `kill \(getpid())` ends this"
  }
}
