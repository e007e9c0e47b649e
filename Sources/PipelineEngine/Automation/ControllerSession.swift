import DequeModule
import Operations
import PipelineLanguage
import PluginHost
import RunHistory
import Synchronization
import Values

/// A request of a pipeline's controller.
public struct ControllerEvent: Sendable {
  /// The controller, such as `cron`.
  public var controller: String
  /// The value of `run.given.event` in the run: a state, or why it runs again.
  public var value: JSONValue
  /// The instant that it is for. Of several events with the same instant for one pipeline, only one starts a run.
  public var instant: RecordTime?
  /// The instants for which the controller requests no run, if the event is about these: it then starts no run. Only in sessions created with `leftOut`.
  public var leftOut: LeftOutInstants?
  /// Whether it is a state, which the controller may withdraw.
  var isState = false
  /// The driver that requests it, and the number of the request for ``HeldPluginStorage/settle(_:)``.
  var driver: ControllerDriver?
  var question = 0
  /// The instance that reported it.
  var instance: (any PluginInstance)?
  /// How many of the instance's signals it counts as.
  var weight = 1
}

/// The running controllers of a pipeline, from ``RunHost/controllers(of:parameters:leftOut:onEvent:)`` until ``end()``. May be used from any thread.
///
/// Their events are kept, in order, until they are taken for a run. A controller that fails is created again after a while.
public final class ControllerSession: Sendable {
  private struct State {
    var events: Deque<ControllerEvent> = []
    var drivers: [ControllerDriver] = []
    /// Whether the controllers were told to end.
    var hasStopped = false
    /// Whether events are dropped.
    var hasEnded = false
  }

  private let pipeline: PipelineDefinition
  private let services: HostServices
  private let onEvent: @Sendable () -> Void
  private let onTrouble: @Sendable (_ position: Int, ControllerTrouble?) -> Void
  /// Whether the events include instants that are left out.
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

  /// Whether there are events to take.
  public var hasEvents: Bool { state.withLock { !$0.events.isEmpty } }

  /// The number of events to take.
  package var eventCount: Int { state.withLock(\.events.count) }

  /// Whether there will be no more events to take: it was stopped, every controller has ended, and all of their events were taken.
  package var isOver: Bool {
    let (drivers, hasStopped) = state.withLock { ($0.drivers, $0.hasStopped) }
    // In this order: a controller that has ended reports nothing more.
    return hasStopped && drivers.allSatisfy(\.hasLetGo) && !hasEvents
  }

  /// The controllers that have not reported that nothing more will come, such as `cron`.
  public var awaited: [String] { state.withLock { $0.drivers }.filter { !$0.isOver }.map(\.name) }

  /// Takes the next event for a run that is started immediately, or returns nil if there is none.
  ///
  /// An event with an instant for which any host has already started a run is skipped.
  public nonisolated(nonsending) func take() async throws -> ControllerEvent? {
    while let event = next() {
      var isWanted = true
      if let instant = event.instant {
        isWanted = try await services.recorder.claim(
          instant, of: pipeline.name, by: event.controller, at: services.now())
      }
      await settle(event)
      if isWanted { return event }
    }
    return nil
  }

  /// Takes the next event, whether or not it leads to a run, or returns nil if there is none. It must be settled once its outcome is recorded.
  package func next() -> ControllerEvent? { state.withLock { $0.events.popFirst() } }

  /// Notes that the outcome of an event is recorded, so that its controller may remember having reported it.
  package nonisolated(nonsending) func settle(_ event: ControllerEvent) async {
    await event.driver?.storage.settle(event.question)
    event.instance?.settled(event.weight)
  }

  /// Ends the controllers. Events that were not taken are dropped, along with what the controllers remember of them, so that they may request them again.
  public func end() {
    let drivers = state.withLock { state in
      (state.hasStopped, state.hasEnded) = (true, true)
      state.events = []
      defer { state.drivers = [] }
      return state.drivers
    }
    for driver in drivers { driver.end() }
  }

  /// Ends the controllers, but keeps their events, including those that they report until they have ended. `onEvent` is also called when one has ended: see
  /// ``isOver``.
  package func stop() {
    let drivers = state.withLock { state in
      state.hasStopped = true
      return state.drivers
    }
    for driver in drivers { driver.end() }
  }

  func begin(_ drivers: [ControllerDriver]) {
    let isOver = state.withLock { state in
      if !state.hasStopped { state.drivers = drivers }
      return state.hasStopped
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

  /// Notes that a controller has ended, and reports nothing more.
  func noteEnd() { onEvent() }

  /// Reports that the trouble of a controller has changed or ended.
  func tell(_ trouble: ControllerTrouble?, of position: Int) {
    guard !state.withLock(\.hasStopped) else { return }
    onTrouble(position, trouble)
  }

  /// Removes the oldest of a controller's events without an instant, to make room for another one.
  ///
  /// - Returns: The number of its request; nil if there is none.
  func dropOldest(of driver: ControllerDriver) -> Int? {
    state.withLock { state in
      let oldest = state.events.firstIndex { $0.driver === driver && $0.instant == nil && $0.leftOut == nil }
      return oldest.map { state.events.remove(at: $0).question }
    }
  }

  /// Removes the states of a controller that have not been taken for a run.
  ///
  /// - Returns: The numbers of their requests.
  func reset(_ driver: ControllerDriver) -> [Int] {
    state.withLock { state in
      var forgotten: [Int] = []
      state.events.removeAll { event in
        let isForgotten = event.isState && event.driver === driver
        if isForgotten {
          forgotten.append(event.question)
          event.instance?.settled(event.weight)
        }
        return isForgotten
      }
      return forgotten
    }
  }
}

extension RunHost {
  /// Creates the controllers of a pipeline.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline with its `controllers`.
  ///   - parameters: Its params, for the controllers' settings.
  ///   - leftOut: Whether instants for which they request no run can be taken too: see ``ControllerEvent/leftOut``.
  ///   - onEvent: Called on any thread when there is something to take. Must return immediately.
  /// - Returns: The controllers, not started yet.
  /// - Throws: The error of an expression in the settings, or ``OperationFailure`` if a plugin can no longer be used.
  public func controllers(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], leftOut: Bool = false,
    onEvent: @escaping @Sendable () -> Void
  ) throws -> ControllerSession {
    try controllers(
      of: pipeline, parameters: parameters, leftOut: leftOut, onTrouble: { _, _ in }, onEvent: onEvent)
  }

  /// Creates the controllers of a pipeline. `onTrouble` is called on any thread with the position of a controller in the file when its trouble
  /// changes, and with nil when it ends.
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
