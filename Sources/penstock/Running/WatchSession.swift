import Operations
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization

/// A pipeline that is run again and again: when one of its files changes, when its `rerun_on_change` says so, and when its controllers do.
struct WatchSession: Sendable {
  /// What ends the wait between two runs.
  private enum Event: Sendable {
    /// A run that nobody asked for has begun.
    case began
    /// Nil where its condition has called it off.
    case ended(Result<RunOutcome, any Error>?)
    case changed(path: String)
    /// A controller asks for a run.
    case asked
    /// `automatic` may have turned true, or nothing runs at first.
    case allowed
    case signal
  }

  /// Whether a signal has asked for the end, whoever took it: a run, its last moments or the wait between two of them.
  private final class Interruption: Sendable {
    let hasCome = Atomic(false)
  }

  /// How long a file must be left alone before it is read: editors write in several steps.
  private static let settling = Duration.milliseconds(100)

  let host: RunHost
  let shared: SharedOptions
  /// Whether the first run is to begin at once, whatever the file says of when.
  let startsNow: Bool
  /// The file as it is now.
  let load: @Sendable () -> Loaded
  private let interruption = Interruption()

  init(host: RunHost, shared: SharedOptions, startsNow: Bool, load: @escaping @Sendable () -> Loaded) {
    self.host = host
    self.shared = shared
    self.startsNow = startsNow
    self.load = load
  }

  /// What was read of the file.
  struct Loaded: Sendable {
    /// The file itself, and those of the pipelines that it runs.
    var files: [String]
    /// A moment of ``FileClock`` before they were read.
    var moment: Timestamp
    /// What to run and with what; the error has been shown where it is an ``ExitStatus``.
    var content: Result<(pipeline: PipelineDefinition, options: RunOptions), any Error>
  }

  /// Runs until a signal ends it. The status is that of the last run.
  func run() async throws -> ExitStatus {
    var status = ExitStatus.succeeded
    var isAsked = startsNow
    while true {
      let loaded = load()
      let step: Step
      switch loaded.content {
      case .success(let (pipeline, options)):
        step = try await watch(pipeline, options, loaded, isAsked: isAsked, &status)
        isAsked = false
      case .failure(let error):
        // A mistake in a file is told, and its correction waited for.
        status = ExitStatus.report(error)
        step = try await watch(loaded)
      }
      guard case .again(let reason) = step, !isInterrupted else {
        try await host.close()
        return status
      }
      if !shared.quiet { TextOutput.error.writeLine("penstock: \(reason)") }
    }
  }

  private var isInterrupted: Bool { interruption.hasCome.load(ordering: .sequentiallyConsistent) }

  private func noteSignal(_ sink: AsyncStream<Event>.Continuation) {
    interruption.hasCome.store(true, ordering: .sequentiallyConsistent)
    sink.yield(.signal)
  }

  private enum Step: Sendable {
    case again(String)
    case stop
  }

  /// Runs one definition of the pipeline until its files change. It runs at once where somebody has asked for that, or nothing else says when.
  private func watch(
    _ pipeline: PipelineDefinition, _ options: RunOptions, _ loaded: Loaded, isAsked: Bool, _ status: inout ExitStatus
  ) async throws -> Step {
    let startsAtOnce = isAsked || (pipeline.controllers.isEmpty && pipeline.automatic == nil)
    // Controllers say when, and to subscribe is not to ask. Let go of as soon as somebody subscribes.
    let isHeld = Atomic(!startsAtOnce && !pipeline.controllers.isEmpty)
    let (events, sink) = AsyncStream<Event>.makeStream()
    let presentation = shared.presentation(of: pipeline, in: host)
    let idle = IdleSignals(host: host, presentation: presentation) { noteSignal(sink) }
    let listening = tell(of: loaded, to: sink)
    defer { listening.cancel() }
    let runs = Atomic(0)
    // What the next run is told of the controller that asked for it.
    let next = Mutex<ControllerEvent?>(nil)
    let controllers = try host.controllers(of: pipeline, parameters: options.parameters) { sink.yield(.asked) }
    defer { controllers.end() }
    let store = try host.store(
      for: pipeline, parameters: options.parameters, isHeld: { isHeld.load(ordering: .sequentiallyConsistent) }
    ) { [host, shared] in
      try await idle.runBegins()
      guard !isInterrupted else {
        await idle.runEnded()
        throw CancellationError()
      }
      sink.yield(.began)
      // The first run is the one that was asked for, or that `automatic` has begun.
      let isFirst = runs.add(1, ordering: .sequentiallyConsistent).oldValue == 0
      let isUntold = isFirst && (startsAtOnce || pipeline.automatic != nil)
      var options = options
      if let event = next.withLock({ $0.take() }) {
        options.trigger = .controller
        options.controller = event.controller
        options.event = event.value
        if !shared.quiet { TextOutput.error.writeLine("penstock: \(Self.text(of: event))") }
      } else if !isUntold, !shared.quiet, let condition = pipeline.rerunOnChange {
        TextOutput.error.writeLine("penstock: \(condition.text) is true")
      }
      let chosen = options
      let session = RunSession(
        host: host, presentation: presentation, endsProcess: false, onInterruption: { noteSignal(sink) })
      let outcome: RunOutcome
      do {
        outcome = try await session.present {
          try await host.run(pipeline, options: chosen, events: session.presentation.events, onEvent: $0)
        }
      } catch {
        await idle.runEnded()
        sink.yield(.ended(.failure(error)))
        throw error
      }
      await idle.runEnded()
      // A run that its condition has called off is not one that somebody cancelled.
      guard !Task.isCancelled else {
        sink.yield(.ended(nil))
        throw CancellationError()
      }
      sink.yield(.ended(.success(outcome)))
      return outcome
    }
    let subscription = store.subscribe(with: OperationEventHandler())
    defer { subscription.cancel() }
    isHeld.store(false, ordering: .sequentiallyConsistent)
    let hasBegun: @Sendable () -> Bool = { store.isLoading || runs.load(ordering: .sequentiallyConsistent) > 0 }
    let following = try host.followAutomatic(of: pipeline, parameters: options.parameters) { sink.yield(.allowed) }
    defer { following.cancel() }
    // One that the subscription has begun will do.
    var first = startsAtOnce && !hasBegun() ? Task { _ = try? await store.fetch() } : nil
    defer { first?.cancel() }
    // Begins the run that a controller asks for.
    let begin: @Sendable () async -> Void = {
      // A fetch in the last moments of a run joins that run; the one that is asked for has yet to begin then.
      while next.withLock({ $0 != nil }), !isInterrupted, !Task.isCancelled {
        _ = try? await store.fetch()
        await Task.yield()
      }
      // It cannot begin any more.
      if next.withLock({ $0.take() }) != nil { sink.yield(.ended(nil)) }
    }
    var asked: Task<Void, Never>?
    defer { asked?.cancel() }
    var isRunning = startsAtOnce || hasBegun()
    if !isRunning { sink.yield(.allowed) }
    var changed: String?
    for await event in events {
      switch event {
      case .began: isRunning = true
      case .changed(let path):
        changed = path
        try? await Task.sleep(for: Self.settling)
      // A run that goes on is being cancelled; its end is waited for. What is asked for meanwhile waits too.
      case .signal, .asked: break
      case .allowed:
        // A first run that was not allowed until now. Later ones are those of `rerun_on_change` and of controllers.
        guard !hasBegun(), first == nil, pipeline.controllers.isEmpty, !isInterrupted, changed == nil,
          store.isAutomaticRunningEnabled
        else { break }
        isRunning = true
        first = Task { _ = try? await store.fetch() }
      case .ended(let result):
        isRunning = false
        if let outcome = try result?.get() { status = ExitStatus(of: outcome.run) }
      }
      guard !isRunning else { continue }
      if isInterrupted || changed != nil {
        // A run that has begun meanwhile will tell of itself.
        guard await idle.close() else { continue }
        if let changed, !isInterrupted { return .again("\(changed) has changed") }
        return .stop
      }
      if let event = try await controllers.take() {
        next.withLock { $0 = event }
        // Until it has begun nothing else is asked for.
        isRunning = true
        asked = Task { await begin() }
        continue
      }
      if try await idle.begin(), !shared.quiet {
        TextOutput.error.writeLine("penstock: \(waiting(for: pipeline, hasBegun(), loaded.files, controllers.awaited))")
      }
    }
    return .stop
  }

  private static func text(of event: ControllerEvent) -> String {
    let reason = event.value["reason"]?.stringValue.map { ": \($0)" } ?? ""
    return "\(event.controller) asks for a run\(TerminalText.oneLine(reason))"
  }

  private func waiting(
    for pipeline: PipelineDefinition, _ hasBegun: Bool, _ files: [String], _ controllers: [String]
  ) -> String {
    let others = files.count == 1 ? "" : files.count == 2 ? " and 1 more file" : " and \(files.count - 1) more files"
    let first = hasBegun || !controllers.isEmpty ? nil : pipeline.automatic?.text
    let causes = [first, pipeline.rerunOnChange?.text].compactMap { $0 } + controllers
    let condition = causes.isEmpty ? "" : ", and for \(causes.joined(separator: ", "))"
    return "waiting for changes of \(files.first ?? "nothing")\(others)\(condition); Ctrl-C ends this"
  }

  /// Tells of changes of the files since they were read, until the task is cancelled.
  private func tell(of loaded: Loaded, to sink: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
    let changes = host.changes(of: loaded.files, since: loaded.moment)
    return Task { for await path in changes { sink.yield(.changed(path: path)) } }
  }

  /// Waits until the files change, of which nothing can be run.
  private func watch(_ loaded: Loaded) async throws -> Step {
    let (events, sink) = AsyncStream<Event>.makeStream()
    let idle = IdleSignals(host: host, presentation: shared.presentation(of: nil, in: host)) { noteSignal(sink) }
    let listening = tell(of: loaded, to: sink)
    defer { listening.cancel() }
    if try await idle.begin(), !shared.quiet {
      let files = loaded.files.joined(separator: ", ")
      TextOutput.error.writeLine("penstock: waiting for changes of \(files); Ctrl-C ends this")
    }
    for await event in events {
      guard await idle.close(), case .changed(let path) = event else { return .stop }
      try? await Task.sleep(for: Self.settling)
      return .again("\(path) has changed")
    }
    return .stop
  }
}

/// Answers signals while no run does.
private actor IdleSignals {
  private let host: RunHost
  private let presentation: RunPresentation
  private let onSignal: @Sendable () -> Void
  private var runs = 0
  private var isClosed = false
  private var feed: RunFeed?
  private var ended: AsyncStream<Void>?

  init(host: RunHost, presentation: RunPresentation, onSignal: @escaping @Sendable () -> Void) {
    self.host = host
    var presentation = presentation
    presentation.isIdle = true
    self.presentation = presentation
    self.onSignal = onSignal
  }

  /// Begins to answer. False when it does already, or a run does.
  func begin() throws -> Bool {
    guard feed == nil, runs == 0 else { return false }
    let feed = try RunFeed()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let thread = try PresentationThread(feed: feed, presentation: presentation)
    try thread.start(
      .init(onSignal: { [onSignal] _ in onSignal() }) { [host] isStopping in
        host.noticeForeground(isStopping: isStopping)
      } onEnd: {
        ending.finish()
      })
    (self.feed, self.ended) = (feed, ended)
    return true
  }

  /// Leaves the signals to a run, until it has ended.
  ///
  /// - Throws: `CancellationError` when no run may begin any more.
  func runBegins() async throws {
    guard !isClosed else { throw CancellationError() }
    runs += 1
    await end()
  }

  func runEnded() { runs -= 1 }

  /// Ends to answer and lets no run begin. False, and nothing has happened, while a run goes on.
  func close() async -> Bool {
    guard runs == 0 else { return false }
    isClosed = true
    await end()
    return true
  }

  private func end() async {
    guard let feed, let ended else { return }
    (self.feed, self.ended) = (nil, nil)
    feed.finish(.abandoned)
    for await _ in ended {}
  }
}
