import Synchronization
import Values

/// An instance in a child host, from its host's side.
///
/// Its creation and its start are one message, sent when it is started: errors about the settings arrive then.
final class IsolatedInstance: PluginInstance {
  /// The stage of its life.
  private enum Stage {
    case made
    /// Started, and waiting for a child.
    case waiting(input: JSONValue)
    case running(ChildProcess, input: JSONValue)
    case ended

    var isWaiting: Bool { if case .waiting = self { true } else { false } }
  }

  /// Invariant: the stage `ended` is final, and no event is reported after the one that ended the instance.
  private struct State {
    var stage = Stage.made {
      didSet { wait.note(stage.isWaiting, at: clock) }
    }
    let clock: any PluginClock
    var wait = ProcessWait()
    var isStopping = false
    var isDestroyed = false
    var graceAlarm: PluginAlarm?
    /// Whether it waits for another child than the one in which it began.
    var isInterrupted = false
    /// How many children have reported that they will never begin it.
    var moves = 0
  }

  /// The limit of moves: if calls of a plugin hang in every child, an instance would move forever.
  private static let mostMoves = 5

  let id: UInt64
  let offer: PluginOffer
  let access: PluginAccess
  /// Whether it is only created and destroyed: see ``PluginConnection/trial(_:settings:events:)``.
  let isTrial: Bool
  /// The question to ask, in a trial.
  private let question: InstantsQuestion?
  private let settings: JSONValue
  private let events: any PluginInstanceEvents
  private let connection: IsolatedConnection
  private let state: Mutex<State>

  init(
    id: UInt64, offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents,
    connection: IsolatedConnection, isTrial: Bool = false, question: InstantsQuestion? = nil
  ) {
    self.isTrial = isTrial
    self.question = question
    self.id = id
    self.offer = offer
    self.settings = settings
    self.access = access
    self.events = events
    self.connection = connection
    state = Mutex(State(clock: connection.options.clock))
  }

  deinit {
    if !state.withLock({ $0.isDestroyed }) { connection.release() }
  }

  /// Whether a new child takes it over if its child crashes.
  var isLasting: Bool { offer.kind != .operation && !isTrial }

  // MARK: PluginInstance

  func start(_ input: JSONValue) {
    state.withLock { state in
      guard case .made = state.stage else { return }
      place(&state, input)
    }
  }

  func stop(grace: Duration) {
    state.withLock { state in
      guard !state.isStopping else { return }
      state.isStopping = true
      switch state.stage {
      case .made: end(&state, .success(nil))
      case .waiting:
        connection.forget(self)
        end(&state, isLasting ? .success(nil) : .failure(neverRan))
      case .running(let process, _):
        process.send(.stop(id: id, nanoseconds: UInt64(max(grace.nanoseconds, 0))))
        // The child ends it after the grace period; if it does not, the host does.
        let limit = grace + connection.options.limits.stopMargin
        state.graceAlarm = connection.options.clock.wake(after: limit) { [weak self] in self?.giveUp(after: grace) }
      case .ended: return
      }
    }
  }

  var timeWaited: Duration { state.withLock { $0.wait.total(at: $0.clock) } }

  func begun() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.wait.whenOver(continuation) }
    }
  }

  func destroy() {
    let (alarm, isFirst) = state.withLock { state in
      defer {
        state.stage = .ended
        state.isDestroyed = true
      }
      switch state.stage {
      case .made, .ended: break
      case .waiting: connection.forget(self)
      case .running(let process, _):
        connection.forget(self)
        // A child that has not answered hangs, along with everything else in it.
        if isTrial { connection.execute { process.kill(.unresponsive(PluginTrial.limit)) } }
        process.send(.destroy(id: id))
      }
      return (state.graceAlarm, !state.isDestroyed)
    }
    alarm?.cancel()
    if isFirst { connection.release() }
  }

  func settled(_ number: Int) {
    state.withLock { state in
      guard case .running(let process, _) = state.stage else { return }
      process.send(.settled(id: id, number: UInt32(clamping: number)))
    }
  }

  // MARK: On the thread

  /// Begins in a child that is now ready.
  func run(in process: ChildProcess, offer number: Int?) {
    let isResumed = state.withLock { state in
      defer { state.isInterrupted = false }
      switch state.stage {
      case .waiting(let input): begin(&state, in: process, offer: number, input: input)
      case .running(let former, let input):
        // Another file of the plugin takes over.
        former.send(.destroy(id: id))
        begin(&state, in: process, offer: number, input: input)
      case .made, .ended: break
      }
      return state.isInterrupted
    }
    if isResumed { tell { $0.resumed() } }
  }

  /// Handles the end of its child, or a failed start. Controllers and specifications wait for the next child.
  ///
  /// - Parameters:
  ///   - failure: The failure of an operation.
  ///   - summary: A short description of what happened.
  ///   - pause: The time until the next child is started.
  func lose(_ failure: PluginFailure, summary: String, pause: Duration) {
    enum Outcome {
      case nothing
      case unknown
      case ended(Result<JSONValue?, PluginFailure>)
    }
    let outcome = state.withLock { state -> Outcome in
      let input: JSONValue
      switch state.stage {
      case .waiting(let its), .running(_, let its): input = its
      case .made, .ended: return .nothing
      }
      guard isLasting, !state.isStopping else {
        state.stage = .ended
        state.graceAlarm?.cancel()
        return .ended(isLasting ? .success(nil) : .failure(failure))
      }
      state.stage = .waiting(input: input)
      state.isInterrupted = offer.kind == .controller
      return .unknown
    }
    switch outcome {
    case .nothing: break
    case .ended(let outcome): events.ended(outcome)
    case .unknown where offer.kind == .specification:
      events.changed(nil, reason: "plugin \(summary); restarting in \(pause.brief)")
    case .unknown:
      events.interrupted(by: failure, pause: pause)
    }
  }

  /// Moves to another child, because a call of the plugin does not return in its present one, which has not begun it and never will.
  func leaveStuckChild() {
    let mayMove = state.withLock { state in
      state.moves += 1
      return state.moves <= Self.mostMoves
    }
    guard !mayMove else { return moveOn() }
    let message =
      "'\(offer.id)' was moved to a new child host \(Self.mostMoves) times because calls of plugin '\(connection.name)' do not return"
    finish(.failure(PluginFailure(code: .unresponsive, message: message)))
  }

  /// Moves to another child, because its present one does nothing more with it.
  func moveOn() {
    state.withLock { state in
      let input: JSONValue
      switch state.stage {
      case .waiting(let its), .running(_, let its): input = its
      case .made, .ended: return
      }
      guard !state.isStopping else {
        state.graceAlarm?.cancel()
        return end(&state, isLasting ? .success(nil) : .failure(neverRan))
      }
      place(&state, input)
    }
  }

  /// Returns the result that the child sent, which is not trusted, if its type is valid.
  func checked(_ value: JSONValue?) -> Result<JSONValue?, PluginFailure> {
    guard question == nil else { return .success(value) }
    guard offer.kind == .operation, !isTrial else { return .success(nil) }
    guard let mismatch = offer.result.mismatch(ofResult: value) else { return .success(value) }
    return .failure(
      PluginFailure(
        code: "result-mismatch",
        message: "the result of operation '\(offer.id)' of plugin '\(connection.name)' has the wrong type: \(mismatch)")
    )
  }

  /// Ends it, because the child reported its end or the connection is closed.
  func finish(_ outcome: Result<JSONValue?, PluginFailure>) {
    let ended = state.withLock { state -> Bool in
      if case .ended = state.stage { return false }
      state.stage = .ended
      state.graceAlarm?.cancel()
      return true
    }
    if ended { events.ended(outcome) }
  }

  /// Reports another event of the child.
  func tell(_ body: (any PluginInstanceEvents) -> Void) {
    let isRunning = state.withLock { state in
      if case .running = state.stage { return true }
      return false
    }
    if isRunning { body(events) }
  }

  // MARK: Private

  private var neverRan: PluginFailure {
    PluginFailure(
      code: "cancelled", message: "'\(offer.id)' was stopped while plugin '\(connection.name)' was being started")
  }

  private func place(_ state: inout State, _ input: JSONValue) {
    switch connection.place(self) {
    case .child(let process, let number): begin(&state, in: process, offer: number, input: input)
    case .later: state.stage = .waiting(input: input)
    case .never(let failure): end(&state, .failure(failure))
    }
  }

  private func begin(_ state: inout State, in process: ChildProcess, offer number: Int?, input: JSONValue) {
    guard let number else {
      connection.forget(self)
      return end(
        &state,
        .failure(
          PluginFailure(
            code: .noSuchOffer, message: "plugin '\(connection.name)' no longer offers '\(offer.id)'")))
    }
    state.stage = .running(process, input: input)
    let message: HostMessage =
      if let question {
        .foresee(id: id, offer: number, settings: settings, question)
      } else if isTrial {
        .check(id: id, offer: number, settings: settings)
      } else {
        .begin(id: id, offer: number, settings: settings, input: input, keepsSignals: events.keepsSignals)
      }
    guard !process.sendIfRoom(message) else { return }
    connection.forget(self)
    end(
      &state,
      .failure(
        PluginFailure(
          code: .unresponsive,
          message:
            "plugin '\(connection.name)' does not read its input: more than \(connection.options.room.limit >> 20) MiB are waiting"
        )))
  }

  private func giveUp(after grace: Duration) {
    connection.execute { [self] in
      let process = state.withLock { state -> ChildProcess? in
        guard case .running(let process, _) = state.stage else { return nil }
        process.send(.destroy(id: id))
        return process
      }
      guard process != nil else { return }
      connection.giveUp(self)
      finish(.failure(.unresponsive(plugin: connection.name, offer: offer.id, grace: grace)))
    }
  }

  /// Ends it, and reports the end on the thread on which all events are reported.
  private func end(_ state: inout State, _ outcome: Result<JSONValue?, PluginFailure>) {
    state.stage = .ended
    connection.execute { [self] in
      if !self.state.withLock({ $0.isDestroyed }) { events.ended(outcome) }
    }
  }
}

extension PluginFailure {
  static func unresponsive(plugin: String, offer: String, grace: Duration) -> PluginFailure {
    PluginFailure(
      code: .unresponsive,
      message: "'\(offer)' of plugin '\(plugin)' did not end within \(grace.brief) after it was asked to stop")
  }
}
