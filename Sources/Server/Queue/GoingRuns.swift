import PipelineEngine
import RunHistory

/// The active runs of a dispatcher. Everything that the dispatcher reads is counted as it changes, so that reading costs the same for any number of runs.
struct GoingRuns {
  /// An active run.
  struct Run: Sendable {
    var pipeline: String
    var queue: String
    /// Whether it was taken from the queue.
    var isTaken: Bool
    var place: RunPlace
    var task: Task<Void, Never>
  }

  private var runs: [RunID: Run] = [:]
  private var ofPipeline: [String: Set<RunID>] = [:]
  /// The deadlines of runs that must begin by a time and have not begun.
  private var startBys: [RunID: RecordTime] = [:]
  /// Runs that hold a slot.
  private var holding: Set<RunID> = []
  /// The number of them in each queue.
  private var heldOf: [String: Int] = [:]
  /// Pipelines that have at most one run at a time (`overlap: queue`).
  private(set) var single: Set<String> = []
  /// The pipelines of `single` that have an active run.
  private(set) var singleGoing: Set<String> = []
  /// Pipelines in which a later run replaces an earlier one (`overlap: cancel`).
  private(set) var replacing: Set<String> = []
  /// The runs of the pipelines in `replacing`.
  private(set) var replaceable: Set<RunID> = []

  var count: Int { runs.count }
  var ids: [RunID] { runs.keys.sorted() }
  var all: some Collection<Run> { runs.values }
  /// The earliest deadline by which a run must begin.
  var nextStartBy: RecordTime? { startBys.values.min() }

  subscript(run: RunID) -> Run? { runs[run] }

  /// The runs of a pipeline.
  func runs(of pipeline: String) -> [RunID] { ofPipeline[pipeline]?.sorted() ?? [] }

  /// Returns the slots that are left within these limits.
  func free(of limits: Dispatcher.Limits) -> QueueTurns.Places {
    var places = QueueTurns.Places(total: limits.runs - holding.count, queues: limits.queues)
    for (queue, count) in heldOf { places.queues[queue]? -= count }
    return places
  }

  /// Sets which pipelines have at most one run at a time, and in which a later run replaces an earlier one.
  mutating func setOverlap(single: Set<String>, replacing: Set<String>) {
    self.single = single
    self.replacing = replacing
    singleGoing = single.filter { ofPipeline[$0] != nil }
    replaceable = replacing.reduce(into: []) { $0.formUnion(ofPipeline[$1] ?? []) }
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - run: The run.
  ///   - startBy: The time by which it must have begun; nil if there is none.
  mutating func add(_ id: RunID, _ run: Run, startBy: RecordTime?) {
    remove(id)
    runs[id] = run
    startBys[id] = startBy
    ofPipeline[run.pipeline, default: []].insert(id)
    if single.contains(run.pipeline) { singleGoing.insert(run.pipeline) }
    if replacing.contains(run.pipeline) { replaceable.insert(id) }
    notePlace(of: id)
  }

  /// Updates the counts after the run took or returned its slot.
  mutating func notePlace(of id: RunID) {
    guard let run = runs[id] else { return }
    count(id, of: run.queue, isHeld: run.place.state == .held)
  }

  /// Notes that the run has begun, so it can no longer be too late.
  mutating func noteBeginning(of id: RunID) { startBys[id] = nil }

  /// Removes a run that has ended.
  mutating func remove(_ id: RunID) {
    guard let run = runs.removeValue(forKey: id) else { return }
    count(id, of: run.queue, isHeld: false)
    startBys[id] = nil
    replaceable.remove(id)
    ofPipeline[run.pipeline]?.remove(id)
    guard ofPipeline[run.pipeline]?.isEmpty == true else { return }
    ofPipeline[run.pipeline] = nil
    singleGoing.remove(run.pipeline)
  }

  /// Removes and returns, once, the runs that must have begun before `time`.
  mutating func takeLate(at time: RecordTime) -> [RunID] {
    guard let next = nextStartBy, next < time else { return [] }
    let late = startBys.filter { $0.value < time }.keys.sorted()
    for run in late { startBys[run] = nil }
    return late
  }

  private mutating func count(_ id: RunID, of queue: String, isHeld: Bool) {
    let hasChanged = isHeld ? holding.insert(id).inserted : holding.remove(id) != nil
    guard hasChanged else { return }
    let count = (heldOf[queue] ?? 0) + (isHeld ? 1 : -1)
    heldOf[queue] = count == 0 ? nil : count
  }
}
