import PipelineEngine
import RunHistory

/// The runs of a dispatcher that go on, with what each of its looks asks of them counted as it changes: a look costs the same however many there are.
struct GoingRuns {
  /// One of them.
  struct Run: Sendable {
    var pipeline: String
    var queue: String
    /// Whether it was taken from the queue.
    var isTaken: Bool
    var place: RunPlace
    var task: Task<Void, Never>
    /// Whether its place is counted as held.
    fileprivate var isCounted = false

    init(pipeline: String, queue: String, isTaken: Bool, place: RunPlace, task: Task<Void, Never>) {
      self.pipeline = pipeline
      self.queue = queue
      self.isTaken = isTaken
      self.place = place
      self.task = task
    }
  }

  private var runs: [RunID: Run] = [:]
  private var ofPipeline: [String: Set<RunID>] = [:]
  /// When those must have begun that have to, and have not.
  private var startBys: [RunID: RecordTime] = [:]
  /// How many places are held, and of which queues.
  private var held = 0
  private var heldOf: [String: Int] = [:]
  /// Pipelines of which one run goes on at a time, and those of them of which one does.
  private(set) var single: Set<String> = []
  private(set) var singleGoing: Set<String> = []
  /// Pipelines of which a later run takes the place of the one that goes on, and the runs of theirs.
  private(set) var replacing: Set<String> = []
  private(set) var replaceable: Set<RunID> = []

  var count: Int { runs.count }
  var ids: [RunID] { runs.keys.sorted() }
  var all: some Collection<Run> { runs.values }
  /// When the first of those must have begun that have to.
  var nextStartBy: RecordTime? { startBys.values.min() }

  subscript(run: RunID) -> Run? { runs[run] }

  /// The runs of a pipeline.
  func runs(of pipeline: String) -> [RunID] { ofPipeline[pipeline]?.sorted() ?? [] }

  /// The places that are left of these.
  func free(of limits: Dispatcher.Limits) -> QueueTurns.Places {
    var places = QueueTurns.Places(total: limits.runs - held, queues: limits.queues)
    for (queue, count) in heldOf { places.queues[queue]? -= count }
    return places
  }

  /// Says of which pipelines one run at a time goes on, and of which a later run takes the place of an earlier one.
  mutating func setOverlap(single: Set<String>, replacing: Set<String>) {
    self.single = single
    self.replacing = replacing
    singleGoing = single.filter { ofPipeline[$0] != nil }
    replaceable = replacing.reduce(into: []) { $0.formUnion(ofPipeline[$1] ?? []) }
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - id: Which one.
  ///   - run: What is known of it.
  ///   - startBy: When it must have begun; nil where that is any time.
  mutating func add(_ id: RunID, _ run: Run, startBy: RecordTime?) {
    remove(id)
    runs[id] = run
    startBys[id] = startBy
    ofPipeline[run.pipeline, default: []].insert(id)
    if single.contains(run.pipeline) { singleGoing.insert(run.pipeline) }
    if replacing.contains(run.pipeline) { replaceable.insert(id) }
    notePlace(of: id)
  }

  /// Its place may have been taken or given back.
  mutating func notePlace(of id: RunID) {
    guard var run = runs[id] else { return }
    let isHeld = run.place.state == .held
    guard isHeld != run.isCounted else { return }
    run.isCounted = isHeld
    runs[id] = run
    count(of: run.queue, isHeld ? 1 : -1)
  }

  /// It has begun: it cannot be too late any more.
  mutating func noteBeginning(of id: RunID) { startBys[id] = nil }

  /// It has ended.
  mutating func remove(_ id: RunID) {
    guard let run = runs.removeValue(forKey: id) else { return }
    if run.isCounted { count(of: run.queue, -1) }
    startBys[id] = nil
    replaceable.remove(id)
    ofPipeline[run.pipeline]?.remove(id)
    guard ofPipeline[run.pipeline]?.isEmpty == true else { return }
    ofPipeline[run.pipeline] = nil
    singleGoing.remove(run.pipeline)
  }

  /// Takes out, once, those that must have begun before `time`.
  mutating func takeLate(at time: RecordTime) -> [RunID] {
    guard let next = nextStartBy, next < time else { return [] }
    let late = startBys.filter { $0.value < time }.keys.sorted()
    for run in late { startBys[run] = nil }
    return late
  }

  private mutating func count(of queue: String, _ change: Int) {
    held += change
    let count = (heldOf[queue] ?? 0) + change
    heldOf[queue] = count == 0 ? nil : count
  }
}
