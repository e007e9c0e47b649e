import PipelineEngine
import Synchronization

/// Records the events of a pipeline's controllers, in order: each with its run, or with the reason why there is none.
///
/// Most controllers report an event only once, so ``stop()`` ends the controllers but not the recording: what they report until they have ended is recorded
/// as well.
final class EventRecorder: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    /// Whether an event was taken that is not recorded yet.
    var isBusy = false
    /// Whether the latest attempt to record an event failed. It is repeated each second.
    var isFailing = false
    /// Whether all is recorded and nothing more will be reported, or the recording was given up.
    var isOver = false
    var waiting: [Int: (untilOver: Bool, continuation: CheckedContinuation<Void, Never>)] = [:]
    var lastWaiting = 0
  }

  private let session: ControllerSession
  private let wake: AsyncStream<Void>.Continuation
  private let delay: @Sendable (Duration) async throws -> Void
  private let record: @Sendable (ControllerEvent) async throws -> Void
  private let onProblem: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Starts controllers and the recording of their events.
  ///
  /// - Parameters:
  ///   - delay: Waits between attempts to record an event.
  ///   - record: Records an event. It has failed if this throws.
  ///   - onProblem: Called with the reason why an event could not be recorded.
  ///   - controllers: Starts the controllers, which call the function that it receives when they have events.
  init(
    delay: @escaping @Sendable (Duration) async throws -> Void,
    record: @escaping @Sendable (ControllerEvent) async throws -> Void,
    onProblem: @escaping @Sendable (String) -> Void,
    of controllers: (_ onEvent: @escaping @Sendable () -> Void) throws -> ControllerSession
  ) rethrows {
    let (wakes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    wake = sink
    (self.delay, self.record, self.onProblem) = (delay, record, onProblem)
    session = try controllers { sink.yield() }
    let task = Task { [weak self] in
      for await _ in wakes {
        guard await self?.recordAll() == true else { break }
      }
      self?.noteEnd()
    }
    state.withLock { $0.task = task }
    // Events from before this listened.
    sink.yield()
  }

  /// Whether nothing more will be recorded.
  var isOver: Bool { state.withLock(\.isOver) }

  /// Ends the controllers.
  func stop() { session.stop() }

  /// The longest time to wait for something that may be impossible at the moment.
  private static let patience = Duration.seconds(1)

  /// Waits until what was reported before is recorded, or an attempt to record an event has failed, but no longer than a second.
  func catchUp() async { await wait(untilOver: false) }

  /// Waits until the controllers have ended, which ``stop()`` asks them to, and all that they reported is recorded; or until that fails, or `isImpossible`.
  func finish(unless isImpossible: @Sendable () -> Bool) async {
    while !state.withLock({ $0.isOver || $0.isFailing }), !isImpossible() { await wait(untilOver: true) }
  }

  /// Ends the recording if it is not over, and returns how many events are lost.
  func giveUp() async -> Int {
    let task = state.withLock { $0.isOver ? nil : $0.task }
    task?.cancel()
    await task?.value
    return session.eventCount + (state.withLock(\.isBusy) ? 1 : 0)
  }

  /// Records all that there is. Returns false if nothing more will be reported, or the recording is given up.
  private func recordAll() async -> Bool {
    while let event = session.next() {
      state.withLock { $0.isBusy = true }
      guard await recordPatiently(event) else { return false }
      state.withLock { $0.isBusy = false }
    }
    resumeWaiting(untilOver: false)
    return !session.isOver
  }

  /// Records an event, however many attempts that takes. Returns false if it is given up.
  private func recordPatiently(_ event: ControllerEvent) async -> Bool {
    while !Task.isCancelled {
      do {
        try await record(event)
        state.withLock { $0.isFailing = false }
        // The controller may store it only now that it is recorded.
        await session.settle(event)
        return true
      } catch {
        onProblem("cannot record what \(event.controller) tells: \(error)")
        state.withLock { $0.isFailing = true }
        resumeWaiting(untilOver: true)
        guard (try? await delay(.seconds(1))) != nil else { return false }
      }
    }
    return false
  }

  private func noteEnd() {
    state.withLock { $0.isOver = true }
    resumeWaiting(untilOver: true)
  }

  // MARK: Waiting

  private func wait(untilOver: Bool) async {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    let timer = Task { [weak self, delay] in
      if (try? await delay(Self.patience)) != nil { self?.resumeWaiting { id, _ in id == number } }
    }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.isOver || state.isFailing { return true }
        state.waiting[number] = (untilOver, continuation)
        return false
      }
      if isDone { continuation.resume() } else { wake.yield() }
    }
    timer.cancel()
  }

  /// Resumes those that wait until everything is recorded, and those that wait `untilOver` as well.
  private func resumeWaiting(untilOver: Bool) { resumeWaiting { untilOver || !$1 } }

  private func resumeWaiting(_ isMeant: (_ number: Int, _ untilOver: Bool) -> Bool) {
    let resumed = state.withLock { state in
      let resumed = state.waiting.filter { isMeant($0.key, $0.value.untilOver) }
      for number in resumed.keys { state.waiting[number] = nil }
      return resumed
    }
    for waiting in resumed.values { waiting.continuation.resume() }
  }
}
