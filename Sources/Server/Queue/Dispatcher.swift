import PipelineEngine
import RunHistory
import Values
import Workspace

/// Starts queued runs while slots are free, so that the limits of the host and of its queues on active runs are kept.
///
/// A run holds its slot from before it is taken from the queue until its record has ended, except while everything in it waits: it then continues
/// when a slot is free, before runs that are queued.
actor Dispatcher {
  /// What the dispatcher reports about the runs that it starts.
  struct Events: Sendable {
    /// A run that was taken from the queue begins, or another run is resumed.
    var began: @Sendable (RunRecord) -> Void
    var ended: @Sendable (RunRecord) -> Void
    /// A run that its host could not continue.
    var failed: @Sendable (RunRecord, any Error) -> Void
    /// A queued run that did not begin in time.
    var late: @Sendable (LateRun) -> Void
    /// The queue cannot be read or written; the dispatcher retries.
    var stalled: @Sendable (any Error) -> Void
  }

  /// Which runs may be active at the same time.
  struct Limits: Sendable {
    var runs: Int
    var queues: [String: Int]
  }

  /// What happens to runs taken from the queue when the dispatcher closes.
  struct Left: Sendable {
    /// The number of runs that did not begin and return to the queue.
    var queued: Int
    /// The number of runs that are left to the next host because everything in them waits.
    var resting: Int
    /// The number of runs that continue.
    var going: Int
  }

  private let host: RunHost
  private var limits: Limits
  private let events: Events
  private var going = GoingRuns()
  /// Active runs that wait for a slot, in the order of their requests.
  private var returning: [RunID] = []
  /// Runs that ended because they were left to the next host.
  private var gone: Set<RunID> = []
  private var isOpen = false
  private var isLooking = false
  private var isLookDue = false
  /// Wakes the dispatcher when the deadline of a queued run passes or a pause ends, or after a failure.
  private var timer: Task<Void, Never>?
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  private var waitingForLook: [CheckedContinuation<Void, Never>] = []

  init(host: RunHost, limits: Limits, events: Events) {
    self.host = host
    self.limits = limits
    self.events = events
  }

  /// The active runs of a pipeline.
  func runs(of pipeline: String) -> [RunID] { going.runs(of: pipeline) }

  /// The number of active runs.
  var count: Int { going.count }

  /// Whether this run is active.
  func has(_ run: RunID) -> Bool { going[run] != nil }

  /// Applies other limits to runs that begin from now on.
  func setLimits(_ limits: Limits) async {
    self.limits = limits
    await look()
  }

  /// Allows runs to begin.
  func open() async {
    isOpen = true
    await look()
  }

  /// Stops runs from beginning. With `waiting`, it returns after the current look at the queue, so that a run that was being taken counts as taken.
  func close(waiting: Bool = true) async {
    isOpen = false
    timer?.cancel()
    timer = nil
    guard isLooking, waiting else { return }
    await withCheckedContinuation { waitingForLook.append($0) }
  }

  /// Sets which pipelines have at most one run at a time in this host, and in which a later run replaces an earlier one.
  func setOverlap(single: Set<String>, replacing: Set<String>) {
    going.setOverlap(single: single, replacing: replacing)
  }

  /// Handles a change of the queue.
  func notice() async { await look() }

  /// Executes a run that is not queued, such as one that is resumed. It gets a free slot, or the next one, before queued runs.
  func run(
    _ record: RunRecord, in queue: String, _ body: @escaping @Sendable (RunPlace) async throws -> RunOutcome
  ) {
    let places = grantPlaces()
    let isHeld = places.total > 0 && places.queues[queue] ?? 1 > 0
    events.began(record)
    begin(record, in: queue, isHeld: isHeld, body)
    if !isHeld { returning.append(record.id) }
  }

  /// Leaves runs that need not end here to the queue and to the next host. Nothing more is taken from the queue: see ``close(waiting:)``.
  func leaveWaiting() async -> Left {
    let taken = going.ids.filter { going[$0]?.isTaken == true }
    for run in taken { going[run]?.place.bar() }
    let (notBegun, unknown) = await host.leaveNotBegun(taken)
    // Their definitions cannot be read yet.
    for run in unknown { going[run]?.task.cancel() }
    var queued = Set(notBegun + unknown)
    let resting = Set(await host.leaveResting(going.ids.filter { !queued.contains($0) }))
    // Runs that were about to begin return to the queue by themselves.
    queued.formUnion(gone.subtracting(resting))
    return Left(
      queued: queued.count, resting: resting.count,
      going: going.ids.count { !queued.contains($0) && !resting.contains($0) })
  }

  /// Cancels the active runs.
  func cancelAll() { for run in going.all { run.task.cancel() } }

  /// Returns when no run is active.
  func awaitEnd() async {
    guard count > 0 else { return }
    await withCheckedContinuation { waitingForEnd.append($0) }
  }

  // MARK: Turns

  private func look() async {
    guard isOpen else {
      // Active runs may continue while the host drains.
      _ = grantPlaces()
      return
    }
    isLookDue = true
    guard !isLooking else { return }
    isLooking = true
    defer {
      isLooking = false
      for continuation in waitingForLook { continuation.resume() }
      waitingForLook = []
    }
    while isLookDue, isOpen {
      isLookDue = false
      do {
        try await takeNext()
      } catch {
        events.stalled(error)
        wake(after: .seconds(1))
        return
      }
    }
  }

  private func takeNext() async throws {
    let now = host.now()
    leaveOutTaken(at: now)
    // Queued runs stay in the queue.
    guard host.mayTakeQueued() else { return wake(after: .seconds(1)) }
    var startBy = try host.history.nextStartBy()
    if let late = startBy, late < now {
      for late in try await host.leaveOutLate() { events.late(late) }
      startBy = try host.history.nextStartBy()
    }
    let pauses = try await takeNext(in: grantPlaces(), at: now)
    // The end of a pause changes nothing in the workspace. A run may still begin exactly at `start_by`.
    let next = (pauses.map(\.until) + [going.nextStartBy, startBy].map { $0?.advanced(by: 1) }).compactMap { $0 }.min()
    if let next { wake(after: max(.milliseconds(1), next.duration(since: now))) }
  }

  /// Takes the next runs, and returns the pauses whose end may let others begin.
  private func takeNext(in places: QueueTurns.Places, at now: RecordTime) async throws -> [Pause] {
    guard places.total > 0 || !going.replacing.isEmpty, let pauses = try host.history.pausesOfQueue(at: now) else {
      return []
    }
    let paused = Set(pauses.map(\.pipeline))
    guard places.total > 0 else {
      try endReplaced(except: paused)
      return []
    }
    let held = paused.union(going.singleGoing)
    let taken = try await host.takeQueued(places, held: held, single: going.single) { [events] in
      $0.forEach(events.late)
    }
    for entry in taken {
      let beginning = RunBeginning(of: entry.run, events.began)
      let (id, isBound) = (entry.run.id, entry.startBy != nil)
      let tell = { @Sendable [weak self] in
        beginning.tell()
        if isBound { await self?.hasBegun(id) }
      }
      begin(entry.run, in: entry.queue, isHeld: true, startBy: entry.startBy, telling: beginning) { [host] in
        // Not on the thread of the engine, which must never wait.
        try await host.run(entry, in: $0, onBegin: { Task { await tell() } })
      }
    }
    try endReplaced(except: paused)
    return pauses
  }

  /// Skips runs that were taken from the queue but did not begin in time, whatever they wait for.
  private func leaveOutTaken(at now: RecordTime) {
    for id in going.takeLate(at: now) {
      // A run that nothing executes yet returns to the queue and is skipped there.
      if !host.leaveOutLate(id) { going[id]?.task.cancel() }
    }
  }

  /// Cancels the runs whose slots a later run of their pipeline waits to take.
  private func endReplaced(except paused: Set<String>) throws {
    let candidates = going.replaceable.filter { going[$0].map { paused.contains($0.pipeline) } == false }
    guard !candidates.isEmpty else { return }
    for (run, successor) in try host.history.successors(of: candidates) { host.cancel(run, replacedBy: successor) }
  }

  /// Gives free slots to active runs that wait for one. Returns the slots that are left.
  private func grantPlaces() -> QueueTurns.Places {
    var places = going.free(of: limits)
    returning.removeAll { id in
      guard places.total > 0, let run = going[id], places.queues[run.queue] ?? 1 > 0 else { return false }
      places.total -= 1
      places.queues[run.queue]? -= 1
      run.place.grant()
      going.notePlace(of: id)
      return true
    }
    return places
  }

  private func hasBegun(_ run: RunID) { going.noteBeginning(of: run) }

  private func placeChanged(of run: RunID) async {
    going.notePlace(of: run)
    if going[run]?.place.state == .wanted, !returning.contains(run) { returning.append(run) }
    await look()
  }

  private func wake(after delay: Duration) {
    timer?.cancel()
    timer = Task { [weak self, host] in
      guard (try? await host.delay(for: delay)) != nil, !Task.isCancelled else { return }
      await self?.notice()
    }
  }

  private func begin(
    _ record: RunRecord, in queue: String, isHeld: Bool, startBy: RecordTime? = nil,
    telling beginning: RunBeginning? = nil,
    _ body: @escaping @Sendable (RunPlace) async throws -> RunOutcome
  ) {
    let place = host.place(isHeld: isHeld) { [weak self, id = record.id] in
      Task { await self?.placeChanged(of: id) }
    }
    if !isOpen { place.bar() }
    let task = Task { [weak self, events] in
      do {
        let run = try await body(place).run
        if run.startedAt != nil { beginning?.tell() }
        events.ended(run)
      } catch {
        events.failed(record, error)
        if case EngineError.left = error { await self?.hasLeft(record.id) }
      }
      await self?.ended(record.id)
    }
    going.add(
      record.id,
      GoingRuns.Run(
        pipeline: record.pipeline, queue: queue, isTaken: beginning != nil, place: place, task: task),
      startBy: startBy)
  }

  private func hasLeft(_ run: RunID) { gone.insert(run) }

  private func ended(_ run: RunID) async {
    going.remove(run)
    returning.removeAll { $0 == run }
    if count == 0 {
      for continuation in waitingForEnd { continuation.resume() }
      waitingForEnd = []
    }
    await look()
  }
}
