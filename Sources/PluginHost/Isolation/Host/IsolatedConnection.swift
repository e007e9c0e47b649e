import Synchronization
import Values

/// A plugin that runs in a child host.
///
/// The child is started with the first instance, and kept. If it ends by itself, hangs or sends invalid messages, its current attempts fail with
/// `plugin-crashed` or `plugin-unresponsive`. After a pause another child is started, in which controllers and specifications continue. Meanwhile,
/// a specification is unknown, and new instances wait: until they are stopped, or until a start of the child fails too.
///
/// Events are reported on one thread that belongs to the connection.
package final class IsolatedConnection: PluginConnection {
  /// The constant options of a connection.
  package struct Options: Sendable {
    /// The clock that measures pauses and limits.
    package var clock: any PluginClock
    /// The clock that the plugin sees; the same one unless a test needs another.
    var pluginClock: any PluginClock
    /// How many bytes may wait for a child that does not read.
    var room = OutgoingQueue.Room()
    package var limits: ChildTimeLimits
    /// Where control groups for the memory of children may be created.
    var controlGroups = ControlGroups.system
    /// Called with lines that belong to no instance.
    package var log: @Sendable (PluginLogLevel, _ message: String) -> Void

    package init(
      clock: any PluginClock = SystemPluginClock.shared, limits: ChildTimeLimits = .init(),
      log: @escaping @Sendable (PluginLogLevel, _ message: String) -> Void = { _, _ in }
    ) {
      self.clock = clock
      pluginClock = clock
      self.limits = limits
      self.log = log
    }
  }

  /// The destination of an instance.
  enum Place {
    case child(ChildProcess, offer: Int?)
    case later
    case never(PluginFailure)
  }

  enum Phase {
    /// No child exists, and none is needed.
    case idle
    case starting(Int)
    case ready(Int)
    /// The child has crashed; another one is started after a pause.
    case resting
    case closed
  }

  /// A child that is being started.
  struct Start {
    let launch: ChildLaunch
    /// Nil until the thread has started it.
    var process: ChildProcess?
    /// The waiting caller, if this child is to take over from another file of the plugin.
    var successor: AwaitedOutcome<Void, PluginError>?
  }

  /// A child whose plugin is loaded.
  struct Session {
    let process: ChildProcess
    let description: PluginDescription
    let start: Int64
    var instances: [UInt64: IsolatedInstance] = [:]
    /// Whether an instance has ended properly in it.
    var hasServed = false
    /// Whether it only finishes its existing instances: another child takes new ones.
    var isDraining = false
    /// Limits the child's lines that belong to no instance.
    var lines = LineLimit()
    /// The number of pings sent, and the last one answered.
    var pings: UInt64 = 0
    var pongs: UInt64 = 0
    var isPinging = false
    var questions = OpenQuestions()
  }

  /// Invariant: an instance that was started and has not ended is in `waiting`, or in exactly one session.
  struct State {
    var phase = Phase.idle
    var launch: ChildLaunch
    var description: PluginDescription
    var thread: ChildThread?
    var starts: [Int: Start] = [:]
    var sessions: [Int: Session] = [:]
    var waiting: [UInt64: IsolatedInstance] = [:]
    var lastInstance: UInt64 = 0
    var lastSession = 0
    var backoff = RestartBackoff()
    var restart: PluginAlarm?
    var isRetired = false
    /// The number of instances that were created and not released.
    var held = 0
    var closers: [CheckedContinuation<Void, Never>] = []

    var hasChildren: Bool { !starts.isEmpty || !sessions.isEmpty }
  }

  let options: Options
  let state: Mutex<State>

  /// Creates a connection to a plugin whose description is known. No child is started yet.
  package init(_ launch: ChildLaunch, description: PluginDescription, options: Options = Options()) {
    self.options = options
    state = Mutex(State(launch: launch, description: description))
  }

  deinit {
    state.withLock { state in
      let children = state.sessions.values.map(\.process) + state.starts.values.compactMap(\.process)
      state.restart?.cancel()
      state.thread?.execute { for child in children { child.kill(.unneeded) } }
      state.thread?.stop()
    }
  }

  package var clock: any PluginClock { options.clock }

  package var description: PluginDescription { state.withLock { $0.description } }

  /// The plugin's id, or the name of its file; for messages.
  var name: String { state.withLock { $0.launch.name } }

  // MARK: PluginConnection

  package func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    make(offer, settings, access, events, isTrial: false)
  }

  package func trial(
    _ offer: PluginOffer, settings: JSONValue, question: InstantsQuestion?, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    let instance = make(offer, settings, .none, events, isTrial: true, question)
    instance.start([:])
    return instance
  }

  private func make(
    _ offer: PluginOffer, _ settings: JSONValue, _ access: PluginAccess, _ events: any PluginInstanceEvents,
    isTrial: Bool, _ question: InstantsQuestion? = nil
  ) -> any PluginInstance {
    let (id, name) = state.withLock { state -> (UInt64?, String) in
      if case .closed = state.phase { return (nil, state.launch.name) }
      guard !state.isRetired else { return (nil, state.launch.name) }
      state.lastInstance += 1
      state.held += 1
      return (state.lastInstance, state.launch.name)
    }
    guard let id else {
      return EndedInstance(events, .closed, "plugin '\(name)' does not accept new instances: it is being closed")
    }
    return IsolatedInstance(
      id: id, offer: offer, settings: settings, access: access, events: events, connection: self,
      isTrial: isTrial, question: question)
  }

  package func retire() {
    let isUnused = state.withLock { state in
      state.isRetired = true
      return state.held == 0
    }
    if isUnused { shutDown() }
  }

  package func close() async {
    await withCheckedContinuation { continuation in
      let hasClosed = state.withLock { state in
        if case .closed = state.phase, !state.hasChildren { return true }
        state.closers.append(continuation)
        return false
      }
      if hasClosed { continuation.resume() } else { shutDown() }
    }
  }

  /// Ends all instances, then the children. Waiting callers are resumed when the last child has ended.
  private func shutDown() {
    let (thread, lost, restart) = state.withLock { state in
      let lost = Array(state.waiting.values) + state.sessions.values.flatMap(\.instances.values)
      state.waiting = [:]
      for number in state.sessions.keys { state.sessions[number]?.instances = [:] }
      state.phase = .closed
      return (state.thread, lost.sorted { $0.id < $1.id }, state.restart)
    }
    restart?.cancel()
    guard let thread else { return tellClosers() }
    thread.execute { [self] in
      for instance in lost { instance.finish(.failure(closedFailure)) }
      let (children, starting) = state.withLock { state in
        (state.sessions.values.map(\.process), state.starts.values.compactMap(\.process))
      }
      for child in children { child.close(options.limits) }
      for child in starting { child.kill(.unneeded) }
      tellClosers()
    }
  }

  /// Resumes the callers that wait for the end of the connection, once no child is left.
  func tellClosers() {
    let (closers, thread) = state.withLock { state in
      guard case .closed = state.phase, !state.hasChildren else {
        return ([CheckedContinuation<Void, Never>](), ChildThread?.none)
      }
      defer { state.closers = [] }
      return (state.closers, state.thread)
    }
    thread?.stop()
    for closer in closers { closer.resume() }
  }

  var closedFailure: PluginFailure {
    PluginFailure(code: .closed, message: "plugin '\(name)' was closed before it was done")
  }

  // MARK: Instances

  /// Returns the destination of an instance that is being started, and registers the instance there.
  func place(_ instance: IsolatedInstance) -> Place {
    enum Next {
      case place(Place, ping: Int?)
      case start
    }
    let next = state.withLock { state -> Next in
      switch state.phase {
      case .ready(let number):
        guard var session = state.sessions[number] else { return .place(.later, ping: nil) }
        session.instances[instance.id] = instance
        let isFirst = !session.isPinging
        session.isPinging = true
        let offer = session.description.number(of: instance.offer)
        state.sessions[number] = session
        return .place(.child(session.process, offer: offer), ping: isFirst ? number : nil)
      case .starting, .resting:
        state.waiting[instance.id] = instance
        return .place(.later, ping: nil)
      case .idle:
        state.waiting[instance.id] = instance
        return .start
      case .closed:
        return .place(
          .never(PluginFailure(code: .closed, message: "plugin '\(state.launch.name)' is closed")), ping: nil)
      }
    }
    switch next {
    case .place(let place, let ping):
      if let ping { schedulePing(ping) }
      return place
    case .start:
      if let failure = beginStart() {
        _ = state.withLock { $0.waiting.removeValue(forKey: instance.id) }
        return .never(failure)
      }
      return .later
    }
  }

  /// Removes an instance that has no further events.
  func forget(_ instance: IsolatedInstance) {
    let drained = state.withLock { state -> ChildProcess? in
      guard state.waiting.removeValue(forKey: instance.id) == nil else { return nil }
      for number in state.sessions.keys where state.sessions[number]?.instances.removeValue(forKey: instance.id) != nil
      {
        return state.drained(number)
      }
      return nil
    }
    if let drained { execute { [options] in drained.close(options.limits) } }
  }

  /// Handles an instance that its child has not ended in time: the child gets no new instances, and is killed if it has nothing else to do. It may
  /// be busy calling its host forever, and then reads no messages. *On the thread.*
  func giveUp(_ instance: IsolatedInstance) {
    let process = state.withLock { state -> ChildProcess? in
      for (number, session) in state.sessions where session.instances[instance.id] != nil {
        state.sessions[number]?.instances[instance.id] = nil
        state.distrust(number)
        return state.drained(number)
      }
      return nil
    }
    process?.kill(.unneeded)
  }

  /// Notes that an instance was released.
  func release() {
    let isUnused = state.withLock { state in
      state.held -= 1
      return state.isRetired && state.held == 0
    }
    if isUnused { shutDown() }
  }

  /// Runs `body` on the thread that reports events; at once if there is none because no child was ever needed.
  func execute(_ body: @escaping @Sendable () -> Void) {
    if let thread = state.withLock({ $0.thread }) { thread.execute(body) } else { body() }
  }
}

extension IsolatedConnection.State {
  /// Sends new instances to another child from now on.
  mutating func distrust(_ number: Int) {
    sessions[number]?.isDraining = true
    if case .ready(number) = phase { phase = .idle }
  }

  /// Returns the process of a draining session that has no instances left.
  func drained(_ number: Int) -> ChildProcess? {
    guard let session = sessions[number], session.isDraining, session.instances.isEmpty else { return nil }
    return session.process
  }
}

extension PluginDescription {
  /// Returns an offer's index among the offers; nil if there is none with its kind and id.
  func number(of offer: PluginOffer) -> Int? {
    offers.firstIndex { $0.kind == offer.kind && $0.id == offer.id }
  }
}
