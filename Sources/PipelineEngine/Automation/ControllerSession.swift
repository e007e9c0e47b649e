import DequeModule
import Operations
import PipelineLanguage
import PluginHost
import RunHistory
import Synchronization
import Values

/// Something that a controller of a pipeline asks for.
public struct ControllerEvent: Sendable {
  /// What the controller is, such as `cron`.
  public var controller: String
  /// What the run finds in `run.given.event`: a state, or why it is to run again.
  public var value: JSONValue
  /// The instant that it is for; of several events with the same instant for one pipeline only one starts a run.
  public var instant: RecordTime?
  /// The instants for which the controller asks for no run, where it is about these: nothing is to be run for it. Only in sessions that were begun with
  /// `leftOut`.
  public var leftOut: LeftOutInstants?
  /// Whether it is a state, which the controller may take back.
  var isState = false
  /// Who asks, and what the run is called by in ``HeldPluginStorage/settle(_:)``.
  var driver: ControllerDriver?
  var question = 0
  /// The instance that told it.
  var instance: (any PluginInstance)?
  /// How many of the instance's signals it counts as.
  var weight = 1
}

/// The controllers of a pipeline at work, from ``RunHost/controllers(of:parameters:onEvent:)`` until ``end()``. Any thread.
///
/// What they tell is kept, in order, until somebody takes it for a run. A controller that fails is made again after a while.
public final class ControllerSession: Sendable {
  private struct State {
    var events: Deque<ControllerEvent> = []
    var drivers: [ControllerDriver] = []
    var hasEnded = false
  }

  private let pipeline: PipelineDefinition
  private let services: HostServices
  private let onEvent: @Sendable () -> Void
  private let onTrouble: @Sendable (_ position: Int, ControllerTrouble?) -> Void
  /// Whether instants that are left out are among the events.
  let keepsLeftOut: Bool
  private let state = Mutex(State())

  init(
    pipeline: PipelineDefinition, services: HostServices, leftOut: Bool = false,
    onTrouble: @escaping @Sendable (_ position: Int, ControllerTrouble?) -> Void,
    onEvent: @escaping @Sendable () -> Void
  ) {
    keepsLeftOut = leftOut
    self.pipeline = pipeline
    self.services = services
    self.onEvent = onEvent
    self.onTrouble = onTrouble
  }

  /// Whether something waits to be taken.
  public var hasEvents: Bool { state.withLock { !$0.events.isEmpty } }

  /// What has not said that nothing more will come, such as `cron`.
  public var awaited: [String] { state.withLock { $0.drivers }.filter { !$0.isOver }.map(\.name) }

  /// Takes the next event for a run that will be started at once; nil where there is none.
  ///
  /// An event with an instant for which a run was started already, by whatever host, is passed over.
  public nonisolated(nonsending) func take() async throws -> ControllerEvent? {
    while let event = next() {
      var isWanted = true
      if let instant = event.instant {
        isWanted = try await services.recorder.claim(instant, of: pipeline.name, at: services.now())
      }
      await settle(event)
      if isWanted { return event }
    }
    return nil
  }

  /// Takes the next event, whatever comes of it; nil where there is none. It is to be settled when that is recorded.
  package func next() -> ControllerEvent? { state.withLock { $0.events.popFirst() } }

  /// What comes of an event is recorded: its controller may remember that it has told of it.
  package nonisolated(nonsending) func settle(_ event: ControllerEvent) async {
    await event.driver?.storage.settle(event.question)
    event.instance?.settled(event.weight)
  }

  /// Ends the controllers. What was not taken is forgotten, and what they remember of it too: they may ask again.
  public func end() {
    let drivers = state.withLock { state in
      state.hasEnded = true
      state.events = []
      defer { state.drivers = [] }
      return state.drivers
    }
    for driver in drivers { driver.end() }
  }

  func begin(_ drivers: [ControllerDriver]) {
    let isOver = state.withLock { state in
      if !state.hasEnded { state.drivers = drivers }
      return state.hasEnded
    }
    guard !isOver else { return }
    for driver in drivers { driver.begin() }
  }

  func add(_ event: ControllerEvent) {
    let isKept = state.withLock { state in
      if !state.hasEnded { state.events.append(event) }
      return !state.hasEnded
    }
    if isKept { onEvent() }
  }

  /// Something else keeps a controller from its work now, or nothing does.
  func tell(_ trouble: ControllerTrouble?, of position: Int) {
    guard !state.withLock(\.hasEnded) else { return }
    onTrouble(position, trouble)
  }

  /// Takes the oldest of a controller's events out that has no instant, so that another one can take its place.
  ///
  /// - Returns: What its run would have been called by; nil where there is none.
  func dropOldest(of driver: ControllerDriver) -> Int? {
    state.withLock { state in
      let oldest = state.events.firstIndex { $0.driver === driver && $0.instant == nil && $0.leftOut == nil }
      return oldest.map { state.events.remove(at: $0).question }
    }
  }

  /// Forgets the states of a controller that no run has taken.
  ///
  /// - Returns: What their runs would have been called by.
  func reset(_ driver: ControllerDriver) -> [Int] {
    state.withLock { state in
      var forgotten: [Int] = []
      state.events.removeAll { event in
        let isForgotten = event.isState && event.driver === driver
        if isForgotten {
          forgotten.append(event.question)
          event.instance?.settled(1)
        }
        return isForgotten
      }
      return forgotten
    }
  }
}

extension RunHost {
  /// Lets the controllers of a pipeline begin.
  ///
  /// - Parameters:
  ///   - pipeline: Its `controllers`.
  ///   - parameters: Its params, for their settings.
  ///   - leftOut: Whether instants for which they ask for no run are to be taken too: see ``ControllerEvent/leftOut``.
  ///   - onEvent: Called on any thread when there is something to take. Must return at once.
  /// - Returns: The controllers, not started yet.
  /// - Throws: What an expression in the settings throws, or ``OperationFailure`` where a plugin cannot be used any more.
  public func controllers(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], leftOut: Bool = false,
    onEvent: @escaping @Sendable () -> Void
  ) throws -> ControllerSession {
    try controllers(
      of: pipeline, parameters: parameters, leftOut: leftOut, onTrouble: { _, _ in }, onEvent: onEvent)
  }

  /// The same; `onTrouble` is told what keeps a controller from its work, which is known by its position in the file, and with nil that nothing does any more.
  /// Any thread.
  package func controllers(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], leftOut: Bool,
    onTrouble: @escaping @Sendable (_ position: Int, ControllerTrouble?) -> Void,
    onEvent: @escaping @Sendable () -> Void
  ) throws -> ControllerSession {
    let session = ControllerSession(
      pipeline: pipeline, services: services, leftOut: leftOut, onTrouble: onTrouble, onEvent: onEvent)
    let run = RunProgress(
      id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
    let drivers = try pipeline.controllers.enumerated().map { position, controller in
      let use = controller.use
      let plugin = try services.plugins.plugin(use.plugin, in: pipeline)
      let offer = try plugin.offer(use.offer, .controller)
      return ControllerDriver(
        plugin: plugin, offer: offer, settings: try use.settings(for: offer, in: RunContexts(run: run)),
        secrets: PluginSecrets(of: use.plugin, in: pipeline, services.plugins), services: services, pipeline: pipeline,
        session: session, position: position)
    }
    session.begin(drivers)
    return session
  }
}
