import Operations
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization
import Values

/// Runs one definition of a watched pipeline until its files change, as ``WatchProgress`` decides.
struct PipelineWatch: Sendable {
  /// An event, with the outcome if a run ended; nil if its condition called it off.
  private enum Event: Sendable {
    case plain(WatchProgress.Event)
    case ended(Result<RunOutcome, any Error>?)
  }

  private typealias Sink = AsyncStream<Event>.Continuation

  let start: RunStart
  let loaded: WatchedFile.Loaded
  let plan: WatchPlan
  let service: RunService
  let observer: any WatchObserver
  let interruption: Interruption
  let settling: Duration

  private var pipeline: PipelineDefinition { start.pipeline }
  private var parameters: [String: JSONValue] { start.options.parameters }

  /// - Returns: The file that has changed; nil if the watching is to end.
  /// - Throws: The engine's error if it cannot continue.
  func run() async throws -> String? {
    let host = service.host
    let (events, sink) = AsyncStream<Event>.makeStream()
    // Released once there is a subscription.
    let isHeld = Atomic(plan.isHeldBack)
    let runs = WatchRuns()
    let gate = WatchGate(observer: observer) { interrupt(sink) }
    let changes = host.changes(of: loaded.files, since: loaded.moment)
    let listening = Task { for await path in changes { sink.yield(.plain(.changed(path: path))) } }
    defer { listening.cancel() }
    let controllers = try host.controllers(of: pipeline, parameters: parameters) { sink.yield(.plain(.asked)) }
    defer { controllers.end() }
    let store = try host.store(
      for: pipeline, parameters: parameters, isHeld: { isHeld.load(ordering: .sequentiallyConsistent) }
    ) {
      try await runOnce(runs, gate, sink)
    }
    let subscription = store.subscribe(with: OperationEventHandler())
    defer { subscription.cancel() }
    isHeld.store(false, ordering: .sequentiallyConsistent)
    let hasBegun: @Sendable () -> Bool = { store.isLoading || runs.count > 0 }
    let following = try host.followAutomatic(of: pipeline, parameters: parameters) { sink.yield(.plain(.allowed)) }
    defer { following.cancel() }
    // A run that the subscription has begun serves as the first.
    let isBegun = hasBegun()
    var first = plan.startsAtOnce && !isBegun ? Task { _ = try? await store.fetch() } : nil
    defer { first?.cancel() }
    var asked: Task<Void, Never>?
    defer { asked?.cancel() }
    var progress = WatchProgress(plan, hasBegun: isBegun)
    if progress.isAtRest { sink.yield(.plain(.allowed)) }
    for await event in events {
      let step = progress.take(
        try await plain(event),
        WatchProgress.Facts(isInterrupted: interruption.hasCome, hasBegun: hasBegun()) {
          store.isAutomaticRunningEnabled
        })
      switch step {
      case .wait: break
      case .begin: first = Task { _ = try? await store.fetch() }
      // The gate stays open if a run has begun in the meantime, and its end will follow as an event.
      case .stop: if await gate.close() { return nil }
      case .reload(let path): if await gate.close() { return path }
      case .rest:
        if let event = try await next(of: controllers) {
          runs.expect(event)
          progress.beginsAskedRun()
          asked = Task { await begin(runs, store, sink) }
        } else if try await gate.idle() {
          observer.tell(plan.waiting(for: loaded.files, controllers: controllers.awaited, hasBegun: hasBegun()))
        }
      }
    }
    return nil
  }

  /// Returns the event once it can be acted on: a changed file must first be left alone for a while, and the end of a run is reported first.
  private func plain(_ event: Event) async throws -> WatchProgress.Event {
    switch event {
    case .plain(let event):
      if case .changed = event { try? await Task.sleep(for: settling) }
      return event
    case .ended(let result):
      if let outcome = try result?.get() { observer.ended(outcome.run) }
      return .ended
    }
  }

  /// Returns a controller's next request, whose run is recorded in the same transaction.
  private func next(of controllers: ControllerSession) async throws -> RecordedEvent? {
    while let event = controllers.next() {
      var start = start
      start.attribute(to: event.controller, event: event.value, at: event.instant)
      let occasion = Occasion(
        pipeline: pipeline.name, cause: event.instant == nil ? .event : .instant, controller: event.controller,
        instant: event.instant, askedAt: service.host.now(), detail: event.value["reason"]?.stringValue)
      let record = try await service.host.begin(occasion, of: pipeline, options: start.options)
      // From here on, the controller may persist the event.
      await controllers.settle(event)
      if let record { return RecordedEvent(event: event, start: start, record: record) }
    }
    return nil
  }

  private func interrupt(_ sink: Sink) {
    interruption.come()
    sink.yield(.plain(.interrupted))
  }

  /// The body of the pipeline's store.
  private func runOnce(_ runs: WatchRuns, _ gate: WatchGate, _ sink: Sink) async throws -> RunOutcome {
    try await gate.runBegins()
    guard !interruption.hasCome else {
      await gate.runEnded()
      // A caller is waiting for the end of the run that was about to begin.
      sink.yield(.ended(nil))
      throw CancellationError()
    }
    sink.yield(.plain(.began))
    let (number, expected) = runs.begin()
    if let notice = plan.cause(ofRun: number, controller: expected.map { ($0.event.controller, $0.event.value) }) {
      observer.tell(notice)
    }
    let chosen = expected?.start ?? start
    let record = expected?.record
    // Unless a signal sets another reason.
    if !interruption.hasCome { service.attributeCancellations(to: RunCanceller(means: .condition)) }
    let outcome: RunOutcome
    do {
      outcome = try await observer.show(pipeline, onInterruption: { interrupt(sink) }) { [service, observer] in
        try await service.run(chosen, recordedAs: record, events: observer.events, onEvent: $0)
      }
    } catch {
      await gate.runEnded()
      sink.yield(.ended(.failure(error)))
      throw error
    }
    await gate.runEnded()
    // A run that its condition has called off was not cancelled by a person.
    guard !Task.isCancelled else {
      sink.yield(.ended(nil))
      throw CancellationError()
    }
    sink.yield(.ended(.success(outcome)))
    return outcome
  }

  /// Begins the run that a controller requested.
  private func begin(
    _ runs: WatchRuns, _ store: OperationStore<QueryState<RunOutcome, any Error>>, _ sink: Sink
  ) async {
    // A fetch in the last moments of a run joins that run; the requested one must then still begin.
    while runs.expectsOne, !interruption.hasCome, !Task.isCancelled {
      _ = try? await store.fetch()
      await Task.yield()
    }
    // It can no longer begin.
    if runs.giveUp() { sink.yield(.ended(nil)) }
  }
}

/// A controller's request, and the record of its run.
private struct RecordedEvent: Sendable {
  var event: ControllerEvent
  var start: RunStart
  var record: RunRecord
}

/// The runs of one definition so far. Each controller request is taken by exactly one run.
private final class WatchRuns: Sendable {
  private let state = Mutex<(count: Int, expected: RecordedEvent?)>((0, nil))

  /// The number of runs that have begun.
  var count: Int { state.withLock(\.count) }

  /// Whether the run that a controller requested has yet to begin.
  var expectsOne: Bool { state.withLock { $0.expected != nil } }

  func expect(_ event: RecordedEvent) { state.withLock { $0.expected = event } }

  /// Begins a run.
  ///
  /// - Returns: The number of earlier runs, and the controller's request, if any.
  func begin() -> (number: Int, event: RecordedEvent?) {
    state.withLock { state in
      defer { state = (state.count + 1, nil) }
      return (state.count, state.expected)
    }
  }

  /// Withdraws the run that a controller requested, because it can no longer begin. Returns false if it has begun.
  func giveUp() -> Bool {
    state.withLock { state in
      defer { state.expected = nil }
      return state.expected != nil
    }
  }
}
