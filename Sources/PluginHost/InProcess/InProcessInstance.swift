import DequeModule
import PluginABI
import Synchronization
import Values

/// A plugin's instance in this process.
///
/// The host's calls to the plugin go through a lane, one at a time; the plugin's events go through `state`, one at a time. Neither lock is held
/// while code of the plugin or the owner is called.
final class InProcessInstance: PluginInstance {
  /// A call that the host makes to the plugin.
  enum Call: Sendable {
    case create(JSONValue)
    /// Ends the instance once it was created and, with a question, has answered it.
    case conclude(InstantsQuestion?)
    case start(JSONValue)
    case stop(nanoseconds: UInt64)
    /// The end of a timer, or an answer that the plugin waits for.
    case answer(UInt64, PluginStatus, [UInt8])
    case destroy
  }

  enum Event: Sendable {
    case ended(Result<JSONValue?, PluginFailure>)
    case progressed(JSONValue)
    case yielded(PluginSignal)
    case changed(Bool?, String)
    case logged(PluginLogLevel, String, JSONValue?)

    var isEnd: Bool { if case .ended = self { true } else { false } }
  }

  enum Ending: Sendable {
    case none
    /// The plugin ended it properly.
    case byPlugin
    /// The host ended it; the plugin may not know.
    case byHost
  }

  private struct State {
    /// The pointer that `create` returned, as a number: 0 before it and after `destroy`.
    var instance: UInt = 0
    var isStartAsked = false
    var isStarted = false
    var isStopAsked = false
    var isLetGo = false
    /// Whether the plugin's `destroy` has been called, or there is nothing to destroy: no new timers or answers are accepted.
    var isClosed = false
    var ending = Ending.none
    var isTelling = false
    var waiting: Deque<Event> = []
    /// The timers and answers that the plugin waits for.
    var pending: [UInt64: PendingAnswer] = [:]
    var values = ReadableValues()
    var signals = WaitingSignals()
    var grace: PluginAlarm?
  }

  let id: UInt64
  let offer: LoadedOffer
  let connection: InProcessConnection
  let access: PluginAccess
  private let events: any PluginInstanceEvents
  private let lane = CallLane()
  /// Replaces `lane` if all instances of the plugin share one.
  private let sharedLane: SharedCallLane?
  private let state = Mutex(State())

  init(
    id: UInt64, offer: LoadedOffer, connection: InProcessConnection, sharedLane: SharedCallLane?, access: PluginAccess,
    events: any PluginInstanceEvents
  ) {
    self.id = id
    self.offer = offer
    self.connection = connection
    self.sharedLane = sharedLane
    self.access = access
    self.events = events
  }

  // MARK: Requests of the owner

  func create(_ settings: JSONValue) {
    perform(.create(settings))
  }

  /// Ends the instance successfully without starting it, once it has been created and has answered the question, if any.
  func conclude(_ question: InstantsQuestion?) {
    perform(.conclude(question))
  }

  func start(_ input: JSONValue) {
    let isFirst = state.withLock { state in
      defer { state.isStartAsked = true }
      return !state.isStartAsked && !state.isStopAsked
    }
    if isFirst { perform(.start(input)) }
  }

  func stop(grace: Duration) {
    let (isFirst, isStartAsked) = state.withLock { state in
      defer { state.isStopAsked = true }
      return (!state.isStopAsked && !state.isLetGo && state.ending == .none, state.isStartAsked)
    }
    guard isFirst else { return }
    guard isStartAsked else { return end(.success(nil)) }
    // Set the alarm before asking the plugin, which may hang in that very call.
    let alarm = connection.options.clock.wake(after: grace) { [weak self] in self?.endUnresponsive(grace) }
    let isInTime = state.withLock { state in
      guard state.ending == .none, !state.isLetGo else { return false }
      state.grace = alarm
      return true
    }
    guard isInTime else { return alarm.cancel() }
    perform(.stop(nanoseconds: UInt64(max(grace.nanoseconds, 0))))
  }

  func destroy() {
    let (isFirst, grace, dropped) = state.withLock { state in
      var waiting = Deque<Event>()
      swap(&waiting, &state.waiting)
      defer { state.isLetGo = true }
      return (!state.isLetGo, state.grace.take(), waiting)
    }
    withExtendedLifetime(dropped) {}
    grace?.cancel()
    if isFirst { perform(.destroy) }
  }

  /// Ends the instance without the plugin's help, unless it has ended.
  func end(_ outcome: Result<JSONValue?, PluginFailure>) {
    _ = post(.ended(outcome), ending: .byHost)
  }

  private func endUnresponsive(_ grace: Duration) {
    let failure = PluginFailure(
      code: PluginError.Code.unresponsive.rawValue,
      message: "\(connection.name(of: offer)) did not end within \(grace.brief) after it was asked to stop")
    guard post(.ended(.failure(failure)), ending: .byHost) == nil else { return }
    connection.report(.warning, "\(failure.message); the host no longer waits for it")
    destroy()
  }

  // MARK: Calls, one at a time

  private func perform(_ call: Call) {
    if let sharedLane { sharedLane.lane.perform(call, of: self) } else { lane.perform(call, of: self) }
  }

  /// Makes the calls that are queued in its lane; only for the lane.
  func workOff() {
    if let sharedLane { sharedLane.lane.workOff() } else { lane.workOff() }
  }

  /// Makes a call; only the lane does this.
  func make(_ call: Call) {
    switch call {
    case .create(let settings): makeCreate(settings)
    case .conclude(let question):
      let number = state.withLock { $0.ending == .none && !$0.isLetGo ? $0.instance : 0 }
      guard let instance = UnsafeMutableRawPointer(bitPattern: number) else { return }
      end(question.map { foresee($0, instance) } ?? .success(nil))
    case .start(let input):
      let number = state.withLock { state -> UInt in
        guard state.ending == .none, !state.isLetGo, state.instance != 0 else { return 0 }
        state.isStarted = true
        state.values.input = input
        return state.instance
      }
      guard let instance = UnsafeMutableRawPointer(bitPattern: number) else { return }
      PluginText.with(input) { input in watch(.start) { offer.start(instance, input) } }
    case .stop(let nanoseconds):
      let number = state.withLock { $0.isStarted && $0.ending == .none && !$0.isLetGo ? $0.instance : 0 }
      guard let instance = UnsafeMutableRawPointer(bitPattern: number) else { return }
      watch(.stop) { offer.stop(instance, nanoseconds) }
    case .answer(let number, let status, let bytes): answer(number, status, bytes)
    case .destroy: makeDestroy()
    }
  }

  /// Returns the coming instants according to the plugin; no value if it cannot say.
  private func foresee(
    _ question: InstantsQuestion, _ instance: UnsafeMutableRawPointer
  ) -> Result<JSONValue?, PluginFailure> {
    guard let between = connection.between else { return .success(nil) }
    let answer = TakenAnswer()
    let status = PluginText.with(question.input) { input in
      watch(.between) {
        PluginStatus(
          between(
            instance, input, question.after, question.until, UInt32(question.limit), TakenAnswer.take,
            Unmanaged.passUnretained(answer).toOpaque()))
      }
    }
    return answer.outcome(status, of: connection.name(of: offer))
  }

  private func makeCreate(_ settings: JSONValue) {
    let isWanted = state.withLock { state in
      state.values.settings = settings
      return state.ending == .none && !state.isLetGo
    }
    guard isWanted else { return }
    var made: UnsafeMutableRawPointer?
    let status = PluginText.with(offer.id) { offerID in
      PluginText.with(settings) { settings in
        watch(.create) { PluginStatus(offer.create(id, offerID, settings, &made)) }
      }
    }
    guard status == .ok, let made else {
      let name = connection.name(of: offer)
      if status == .ok {
        connection.report(PluginMistake(kind: .noInstance, function: .create), about: self)
        end(.failure(PluginFailure(code: .malformed, message: "\(name) was created without an instance")))
      } else {
        let message = "\(name) rejected its settings without a reason (status \(status))"
        end(.failure(PluginFailure(code: .settings, message: message)))
      }
      close()
      return
    }
    let number = UInt(bitPattern: made)
    state.withLock { $0.instance = number }
  }

  private func makeDestroy() {
    let (isOpen, number, isPending) = state.withLock { state in
      defer { state.isClosed = true }
      return (!state.isClosed, state.instance, !state.pending.isEmpty)
    }
    guard isOpen else { return }
    if isPending { endPending() }
    if let instance = UnsafeMutableRawPointer(bitPattern: number) { watch(.destroy) { offer.destroy(instance) } }
    connection.forget(self)
  }

  /// Closes an instance that does not exist in the plugin and never will.
  private func close() {
    state.withLock { $0.isClosed = true }
    endPending()
    connection.forget(self)
  }

  private func watch<Answer>(_ function: PluginFunction, _ body: () -> Answer) -> Answer {
    CallWatchdog.shared.watch(function, of: offer, connection.reports, body)
  }

  /// Whether the signals that it yields wait until their receiver reports them as taken.
  var keepsSignals: Bool { events.keepsSignals }

  func count(hasInstant: Bool, weight: Int) -> (isKept: Bool, isFirstRefused: Bool) {
    state.withLock { $0.signals.add(hasInstant: hasInstant, weight: weight) }
  }

  func settle(_ number: Int) -> Int { state.withLock { $0.signals.settle(number) } }

  /// Gives the plugin access to its settings and its input.
  func read(_ body: (inout ReadableValues) -> PluginStatus) -> PluginStatus { state.withLock { body(&$0.values) } }

  // MARK: Timers and answers

  /// Registers an answer that the plugin waits for; false if the instance no longer exists, in which case there is no answer.
  func await(_ answer: PendingAnswer, number: UInt64) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.pending[number] = answer
      return true
    }
  }

  /// Stores the alarm that triggers the answer; cancels it if the answer has already been given.
  func keep(_ alarm: PluginAlarm, for number: UInt64) {
    let isPending = state.withLock { $0.pending[number]?.keep(alarm) != nil }
    if !isPending { alarm.cancel() }
  }

  /// Gives the plugin the answer, unless it has already had one.
  func answer(later number: UInt64, _ status: PluginStatus, _ bytes: [UInt8] = []) {
    perform(.answer(number, status, bytes))
  }

  private func answer(_ number: UInt64, _ status: PluginStatus, _ bytes: [UInt8]) {
    guard let answer = state.withLock({ $0.pending.removeValue(forKey: number) }) else { return }
    give(answer, number, status, bytes)
  }

  private func endPending() {
    while let (number, answer) = state.withLock({ $0.pending.popFirst() }) { give(answer, number, .ended, []) }
  }

  private func give(_ answer: PendingAnswer, _ number: UInt64, _ status: PluginStatus, _ bytes: [UInt8]) {
    connection.forgetTimer(number)
    answer.alarm?.cancel()
    watch(answer.function) { answer.call(status, bytes) }
  }

  // MARK: Events, one at a time

  /// The number of waiting events above which progress is dropped.
  static let progressLimit = 64

  func tell(_ event: Event) -> PluginStatus {
    // After the end, events are refused without a report: calls from several threads may cross.
    post(event) == nil ? .ok : .ended
  }

  func end(_ outcome: Result<JSONValue?, PluginFailure>, from function: HostFunction) -> PluginStatus {
    // A plugin that rejects its settings calls `fail` before the start; nothing can have been completed by then.
    switch post(.ended(outcome), ending: .byPlugin, needsStart: function == .complete) {
    case nil: return .ok
    case .byPlugin?: return refuse(.endedTwice, function)
    case .byHost?: return .ended
    case Ending.none?: return refuseEnd(.beforeStart, function, "a result that is refused")
    }
  }

  /// Ends the instance with a failure because its end is invalid: a plugin that ignores the status would otherwise leave it hanging forever.
  func refuseEnd(_ kind: PluginMistake.Kind, _ function: HostFunction, _ what: String) -> PluginStatus {
    let sentence = PluginMistake(kind: kind, function: function).kind.sentence(function)
    let message = "\(connection.name(of: offer)) ended with \(what): it \(sentence)"
    return refuseEnd(kind, function, PluginFailure(code: .malformed, message: message))
  }

  func refuseEnd(
    _ kind: PluginMistake.Kind, _ function: HostFunction, _ failure: PluginFailure
  ) -> PluginStatus {
    switch post(.ended(.failure(failure)), ending: .byHost) {
    case nil: return refuse(kind, function)
    case .byPlugin: return refuse(.endedTwice, function)
    default: return .ended
    }
  }

  func refuse(_ kind: PluginMistake.Kind, _ function: HostFunction) -> PluginStatus {
    connection.report(PluginMistake(kind: kind, function: function), about: self)
    return kind.status
  }

  /// Reports an event to the owner, after those before it; with `needsStart`, only if the instance has been started.
  ///
  /// - Returns: Nil if the event was or will be reported; otherwise how the instance ended, or that it has not been started.
  func post(_ event: Event, ending: Ending = .none, needsStart: Bool = false) -> Ending? {
    enum Verdict {
      case refused(Ending)
      case waits
      case now(PluginAlarm?)
    }
    let verdict: Verdict = state.withLock { state in
      guard state.ending == .none else { return .refused(state.ending) }
      guard !state.isLetGo else { return .refused(.byHost) }
      if needsStart, !state.isStarted { return .refused(.none) }
      state.ending = ending
      guard state.isTelling else {
        state.isTelling = true
        return .now(event.isEnd ? state.grace.take() : nil)
      }
      if case .progressed = event, state.waiting.count >= Self.progressLimit { return .waits }
      state.waiting.append(event)
      return .waits
    }
    switch verdict {
    case .refused(let ending): return ending
    case .waits: return nil
    case .now(let grace):
      grace?.cancel()
      CallWatchdog.shared.pause { tellAll(event) }
      return nil
    }
  }

  private func tellAll(_ first: Event) {
    var next: Event? = first
    while let event = next {
      switch event {
      case .ended(let outcome): events.ended(outcome)
      case .progressed(let progress): events.progressed(progress)
      case .yielded(let signal): events.yielded(signal)
      case .changed(let isSatisfied, let reason): events.changed(isSatisfied, reason: reason)
      case .logged(let level, let message, let fields): events.logged(level, message, fields)
      }
      next = state.withLock { state in
        let next = state.waiting.popFirst()
        if next == nil { state.isTelling = false }
        return next
      }
    }
  }
}
