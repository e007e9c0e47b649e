import OperatingSystem
import Values

// The life cycle of children. Everything here runs on the connection's thread, except `beginStart` and `replace`.
extension IsolatedConnection {
  /// Starts a child for the waiting instances.
  ///
  /// - Returns: Why that is impossible; nil if it is starting.
  func beginStart() -> PluginFailure? {
    let failure = state.withLock { state -> SystemError? in
      // Another thread may have started one.
      switch state.phase {
      case .idle, .resting: break
      case .starting, .ready, .closed: return nil
      }
      do throws(SystemError) {
        let number = try begin(&state, Start(launch: state.launch))
        state.phase = .starting(number)
        return nil
      } catch {
        return error
      }
    }
    return failure.map {
      PluginFailure(code: .childHost, message: "cannot start a child host for plugin '\(name)': \($0)")
    }
  }

  /// Lets another file of the plugin take over: running operations end in their present child; controllers and specifications are recreated in the
  /// new child, where all new instances start. No attempt is lost.
  ///
  /// The calling thread waits until the new file is loaded.
  ///
  /// - Throws: The reason why the new file cannot be loaded, or that it is a different plugin; then nothing has changed.
  package func replace(with launch: ChildLaunch) throws(PluginError) {
    let awaited = AwaitedOutcome<Void, PluginError>()
    let refusal = state.withLock { state -> PluginError? in
      if case .closed = state.phase { return PluginError(.closed, "plugin '\(state.launch.name)' is closed") }
      do throws(SystemError) {
        _ = try begin(&state, Start(launch: launch, successor: awaited))
        return nil
      } catch {
        return PluginError(.childHost, "cannot start a child host for plugin '\(launch.name)': \(error)")
      }
    }
    if let refusal { throw refusal }
    try awaited.get()
  }

  private func begin(_ state: inout State, _ start: Start) throws(SystemError) -> Int {
    let thread: ChildThread
    if let running = state.thread { thread = running } else { thread = try ChildThread() }
    state.thread = thread
    state.lastSession += 1
    let number = state.lastSession
    state.starts[number] = start
    thread.execute { [self] in startChild(number, start.launch, on: thread) }
    return number
  }

  private func startChild(_ number: Int, _ launch: ChildLaunch, on thread: ChildThread) {
    let isClosed = state.withLock { state in
      if case .closed = state.phase { true } else { false }
    }
    guard !isClosed else { return started(number, .failure(PluginError(.closed, closedFailure.message))) }
    let log = options.log
    let process = ChildStart.start(
      launch, on: thread, options: options, line: { log(.info, $0) },
      told: { [weak self] outcome in
        if let self { started(number, outcome) } else if case .success(let child) = outcome { child.0.kill(.unneeded) }
      })
    state.withLock { $0.starts[number]?.process = process }
  }

  private func started(_ number: Int, _ outcome: ChildStart.Outcome) {
    switch outcome {
    case .success((let process, let description)): started(number, process, description)
    case .failure(let error): failedToStart(number, error)
    }
    tellClosers()
  }

  func started(_ number: Int, _ process: ChildProcess, _ description: PluginDescription) {
    process.onMessage = { [weak self] message in self?.received(message, from: number, process) }
    process.onRoom = { [weak self, unowned process] in self?.answerMore(number, process) }
    process.onEnd = { [weak self] end in self?.ended(number, end) }
    enum Next {
      case unneeded
      case run([IsolatedInstance], former: [ChildProcess], ping: Bool)
      case refused(PluginError)
    }
    let now = options.clock.monotonic()
    let (next, successor) = state.withLock { state -> (Next, AwaitedOutcome<Void, PluginError>?) in
      guard let start = state.starts.removeValue(forKey: number) else { return (.unneeded, nil) }
      var session = Session(process: process, description: description, start: now)
      var former: [ChildProcess] = []
      var isNeeded = true
      switch state.phase {
      case .starting(number): break
      case .closed: isNeeded = false
      case _ where state.description.id != description.id:
        state.sessions[number] = session
        return (.refused(anotherPlugin(description, at: start.launch.path, than: state.description)), start.successor)
      case _ where start.successor == nil: isNeeded = false
      case .starting(let other):
        if let process = state.starts[other]?.process { former.append(process) }
      case .ready: break
      case .idle, .resting: state.restart?.cancel()
      }
      if isNeeded, start.successor != nil {
        for (other, var old) in state.sessions {
          session.instances.merge(old.instances.filter { $0.value.isLasting }) { mine, _ in mine }
          old.instances = old.instances.filter { !$0.value.isLasting }
          old.isDraining = true
          state.sessions[other] = old
          if let drained = state.drained(other) { former.append(drained) }
        }
      }
      if isNeeded {
        if start.successor != nil { state.backoff = RestartBackoff() }
        state.phase = .ready(number)
        state.launch = start.launch
        state.description = description
        session.instances.merge(state.waiting) { _, waiting in waiting }
        state.waiting = [:]
        session.isPinging = !session.instances.isEmpty
      }
      state.sessions[number] = session
      let instances = session.instances.values.sorted { $0.id < $1.id }
      return (isNeeded ? .run(instances, former: former, ping: session.isPinging) : .unneeded, start.successor)
    }
    switch next {
    case .unneeded: process.close(options.limits)
    case .run(let instances, let former, let ping):
      for instance in instances {
        instance.run(in: process, offer: description.number(of: instance.offer))
      }
      for child in former { child.close(options.limits) }
      if ping { schedulePing(number) }
    case .refused(let error):
      process.close(options.limits)
      successor?.resume(with: .failure(error))
      return
    }
    successor?.resume(with: .success(()))
  }

  private func anotherPlugin(
    _ description: PluginDescription, at path: String, than former: PluginDescription
  ) -> PluginError {
    PluginError(
      .notFound,
      "\(path.quotedForMessage) contained the plugin '\(former.id)' and now contains '\(description.id)'; restart the host, or give the files "
        + "different names")
  }

  private func failedToStart(_ number: Int, _ error: PluginError) {
    let (lost, pause, successor) = state.withLock { state in
      let start = state.starts.removeValue(forKey: number)
      guard case .starting(number) = state.phase else { return ([IsolatedInstance](), Duration.zero, start?.successor) }
      let lost = Array(state.waiting.values)
      state.waiting = state.waiting.filter { $0.value.isLasting }
      state.phase = .resting
      return (lost, state.backoff.delay(afterBeingWell: nil), start?.successor)
    }
    successor?.resume(with: .failure(error))
    guard pause > .zero else { return }
    options.log(.error, "\(error.message); restarting in \(pause.brief)")
    rest(pause)
    let failure = PluginFailure(code: error.code, message: error.message)
    for instance in lost.sorted(by: { $0.id < $1.id }) {
      instance.lose(failure, summary: "cannot be started", pause: pause)
    }
  }

  private func ended(_ number: Int, _ end: ChildEnd) {
    let now = options.clock.monotonic()
    let (session, pause, plugin) = state.withLock { state -> (Session?, Duration?, String) in
      let session = state.sessions.removeValue(forKey: number)
      // A session that is no longer the ready one has a successor, or gets one when needed.
      guard let session, case .ready(number) = state.phase else { return (session, nil, state.launch.name) }
      for instance in session.instances.values where instance.isLasting { state.waiting[instance.id] = instance }
      // A child that was closed because it was not needed has no instances, and another one can be started at once.
      guard end.reason != .unneeded else {
        state.phase = .idle
        return (session, nil, state.launch.name)
      }
      state.phase = .resting
      if session.hasServed { state.backoff = RestartBackoff() }
      return (session, state.backoff.delay(afterBeingWell: .nanoseconds(now - session.start)), state.launch.name)
    }
    defer { tellClosers() }
    var lines = session?.lines
    for line in lines?.finish() ?? [] { options.log(.info, line) }
    guard let session, end.reason != .unneeded else { return }
    let instances = session.instances.values.sorted { $0.id < $1.id }
    let message = end.message(plugin: plugin, while: Self.occupation(of: instances))
    // A caller that checks settings receives the failure, and is no longer waiting when the child starts again.
    if instances.isEmpty || !instances.allSatisfy(\.isTrial) {
      options.log(.error, pause.map { "\(message); restarting in \($0.brief)" } ?? message)
    }
    if let pause { rest(pause) }
    let failure = PluginFailure(code: end.code, message: message)
    for instance in instances {
      instance.lose(failure, summary: end.summary, pause: pause ?? .zero)
      if pause == nil, instance.isLasting { instance.moveOn() }
    }
  }

  // MARK: Calls that do not return

  /// Handles a call of the plugin that does not return in a child: the instances that it has not begun move to another child, which also gets all new ones.
  func leave(_ number: Int, begun: Set<UInt64>) {
    let (moving, drained) = state.withLock { state -> ([IsolatedInstance], ChildProcess?) in
      state.distrust(number)
      let moving = state.sessions[number]?.instances.filter { !begun.contains($0.key) } ?? [:]
      for id in moving.keys { state.sessions[number]?.instances[id] = nil }
      return (moving.values.sorted { $0.id < $1.id }, state.drained(number))
    }
    drained?.close(options.limits)
    for instance in moving { instance.leaveStuckChild() }
  }

  /// Returns what a child was doing: `it ran 'fetch'`, `it ran 3 instances`.
  private static func occupation(of instances: [IsolatedInstance]) -> String {
    guard let first = instances.first else { return "" }
    if instances.allSatisfy(\.isTrial) { return "it checked the settings of '\(first.offer.id)'" }
    let isOne = instances.allSatisfy { $0.offer.id == first.offer.id }
    guard instances.count > 1 else { return "it ran '\(first.offer.id)'" }
    return "it ran \(instances.count) instances" + (isOne ? " of '\(first.offer.id)'" : "")
  }

  // MARK: Restarting

  private func rest(_ pause: Duration) {
    let alarm = options.clock.wake(after: pause) { [weak self] in
      self?.execute { [weak self] in self?.wakeUp() }
    }
    state.withLock { $0.restart = alarm }
  }

  private func wakeUp() {
    let isNeeded = state.withLock { state in
      guard case .resting = state.phase else { return false }
      if state.waiting.isEmpty { state.phase = .idle }
      return !state.waiting.isEmpty
    }
    guard isNeeded, let failure = beginStart() else { return }
    // The process has no descriptors or threads left, which may be temporary.
    let (lost, pause) = state.withLock { state in
      let lost = Array(state.waiting.values)
      state.waiting = state.waiting.filter { $0.value.isLasting }
      return (lost, state.backoff.delay(afterBeingWell: nil))
    }
    rest(pause)
    for instance in lost { instance.lose(failure, summary: "cannot be started", pause: pause) }
  }

  // MARK: Pings

  /// Pings the child after an interval, and repeatedly as long as it has instances.
  func schedulePing(_ number: Int) {
    _ = options.clock.wake(after: options.limits.ping) { [weak self] in
      self?.execute { [weak self] in self?.ping(number) }
    }
  }

  private func ping(_ number: Int) {
    enum Next {
      case rest
      case ping(ChildProcess, UInt64)
      case kill(ChildProcess)
    }
    let next = state.withLock { state -> Next in
      guard var session = state.sessions[number] else { return .rest }
      defer { state.sessions[number] = session }
      guard !session.instances.isEmpty else {
        session.isPinging = false
        return .rest
      }
      // Two, so that a computer that slept does not blame its children.
      guard session.pings - session.pongs < 2 else { return .kill(session.process) }
      session.pings += 1
      return .ping(session.process, session.pings)
    }
    switch next {
    case .rest: break
    case .ping(let process, let number_):
      process.send(.ping(number_))
      schedulePing(number)
    case .kill(let process): process.kill(.unresponsive(options.limits.ping * 2))
    }
  }
}
