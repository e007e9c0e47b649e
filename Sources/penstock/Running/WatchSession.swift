import Operations
import Pipelines
import Synchronization

/// A pipeline that is run again and again: when one of its files changes, and when its `rerun_on_change` says so.
struct WatchSession: Sendable {
  /// What ends the wait between two runs.
  private enum Event: Sendable {
    /// A run that nobody asked for has begun.
    case began
    case ended(Result<RunOutcome, any Error>)
    case changed(path: String)
    case signal
  }

  /// How long a file must be left alone before it is read: editors write in several steps.
  private static let settling = Duration.milliseconds(100)

  let host: RunHost
  let shared: SharedOptions
  /// The file as it is now.
  let load: @Sendable () -> Loaded

  /// What was read of the file.
  struct Loaded: Sendable {
    /// The file itself, and those of the pipelines that it runs.
    var files: [String]
    /// What to run and with what; the error has been shown where it is an ``ExitStatus``.
    var content: Result<(pipeline: PipelineDefinition, options: RunOptions), any Error>
  }

  /// Runs until a signal ends it. The status is that of the last run.
  func run() async throws -> ExitStatus {
    var status = ExitStatus.succeeded
    while true {
      let loaded = load()
      let step: Step
      switch loaded.content {
      case .success(let (pipeline, options)):
        step = try await watch(pipeline, options, loaded.files, &status)
      case .failure(let error):
        // A mistake in a file is told, and its correction waited for.
        status = ExitStatus.report(error)
        step = try await watch(loaded.files)
      }
      guard case .again(let reason) = step else {
        try await host.close()
        return status
      }
      if !shared.quiet { TextOutput.error.writeLine("penstock: \(reason)") }
    }
  }

  private enum Step: Sendable {
    case again(String)
    case stop
  }

  /// Runs one definition of the pipeline until its files change.
  private func watch(
    _ pipeline: PipelineDefinition, _ options: RunOptions, _ files: [String], _ status: inout ExitStatus
  ) async throws -> Step {
    let (events, sink) = AsyncStream<Event>.makeStream()
    let presentation = shared.presentation(of: pipeline, in: host)
    let idle = IdleSignals(presentation: presentation) { sink.yield(.signal) }
    let runs = Atomic(0)
    let store = try host.store(for: pipeline, parameters: options.parameters) { [host, shared] in
      sink.yield(.began)
      await idle.end()
      // The first run is the one that was asked for.
      let isAsked = runs.add(1, ordering: .relaxed).oldValue == 0
      if !isAsked, !shared.quiet, let condition = pipeline.rerunOnChange {
        TextOutput.error.writeLine("penstock: \(condition.text) is true")
      }
      let outcome = Mutex<RunOutcome?>(nil)
      let isWithdrawn = Atomic(false)
      let session = RunSession(host: host, presentation: presentation, closesHost: false)
      _ = try await session.present { onEvent in
        let result = try await withTaskCancellationHandler {
          try await host.run(pipeline, options: options, onEvent: onEvent)
        } onCancel: {
          isWithdrawn.store(true, ordering: .sequentiallyConsistent)
          host.cancel()
        }
        outcome.withLock { $0 = result }
        return result
      }
      // A run that its condition has called off is not one that somebody cancelled.
      guard let result = outcome.withLock({ $0 }), !isWithdrawn.load(ordering: .sequentiallyConsistent) else {
        throw CancellationError()
      }
      return result
    }
    // Listening begins before the first run, so that no change is missed.
    let changes = host.changes(of: files)
    let watching = Task { for await path in changes { sink.yield(.changed(path: path)) } }
    defer { watching.cancel() }
    let subscription = store.subscribe(
      with: OperationEventHandler(onResultReceived: { result, _ in sink.yield(.ended(result)) }))
    defer { subscription.cancel() }
    // Whoever starts the tool asks for a run, whatever the conditions say; one that has begun already will do.
    let first = Task { _ = try? await store.fetch() }
    defer { first.cancel() }
    var isRunning = true
    var changed: String?
    for await event in events {
      switch event {
      case .began: isRunning = true
      case .changed(let path):
        changed = path
        try? await Task.sleep(for: Self.settling)
      case .signal: return .stop
      case .ended(let result):
        isRunning = false
        switch result {
        case .success(let outcome):
          status = RunSession.status(of: outcome.run)
          if outcome.run.state == .cancelled, outcome.run.reason == nil { return .stop }
        case .failure(let error):
          guard !(error is CancellationError) else { break }
          throw error
        }
      }
      guard !isRunning else { continue }
      if let changed {
        await idle.end()
        return .again("\(changed) has changed")
      }
      if try await idle.begin(), !shared.quiet {
        TextOutput.error.writeLine("penstock: \(waiting(for: pipeline, files))")
      }
    }
    return .stop
  }

  private func waiting(for pipeline: PipelineDefinition, _ files: [String]) -> String {
    let others = files.count == 1 ? "" : files.count == 2 ? " and 1 more file" : " and \(files.count - 1) more files"
    let condition = pipeline.rerunOnChange.map { ", and for \($0.text)" } ?? ""
    return "waiting for changes of \(files.first ?? "nothing")\(others)\(condition); Ctrl-C ends this"
  }

  private func watch(_ files: [String]) async throws -> Step {
    let (events, sink) = AsyncStream<Event>.makeStream()
    let presentation = shared.presentation(of: nil, in: host)
    let idle = IdleSignals(presentation: presentation) { sink.yield(.signal) }
    let changes = host.changes(of: files)
    let watching = Task { for await path in changes { sink.yield(.changed(path: path)) } }
    defer { watching.cancel() }
    if try await idle.begin(), !shared.quiet {
      TextOutput.error.writeLine("penstock: waiting for changes of \(files.joined(separator: ", ")); Ctrl-C ends this")
    }
    for await event in events {
      await idle.end()
      guard case .changed(let path) = event else { return .stop }
      try? await Task.sleep(for: Self.settling)
      return .again("\(path) has changed")
    }
    return .stop
  }
}

/// Answers signals while no run does.
private actor IdleSignals {
  private let presentation: RunPresentation
  private let onSignal: @Sendable () -> Void
  private var feed: RunFeed?
  private var ended: AsyncStream<Void>?

  init(presentation: RunPresentation, onSignal: @escaping @Sendable () -> Void) {
    var presentation = presentation
    presentation.isIdle = true
    self.presentation = presentation
    self.onSignal = onSignal
  }

  /// Begins to answer. False when it does already.
  func begin() throws -> Bool {
    guard feed == nil else { return false }
    let feed = try RunFeed()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let thread = try PresentationThread(
      feed: feed, presentation: presentation, onSignal: { [onSignal] _ in onSignal() }, onJobControl: { _ in },
      onEnd: { ending.finish() })
    try thread.start()
    (self.feed, self.ended) = (feed, ended)
    return true
  }

  /// Ends that, so that a run can answer them.
  func end() async {
    guard let feed, let ended else { return }
    (self.feed, self.ended) = (nil, nil)
    feed.finish(.abandoned)
    for await _ in ended {}
  }
}
