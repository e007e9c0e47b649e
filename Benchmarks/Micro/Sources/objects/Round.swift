import CObjectFloor
import Glibc
import Synchronization
import Workspace

/// One round: every workload once, on a new workspace and beside a new database of the floor.
final class Round {
  static let count = 10_000
  static let each = 1_000

  private let directory: String
  private let jobs: [Job]
  private let single: [Job]
  private let advanced: FloorJobs
  private let floorJobs: FloorJobs
  private let floorSingle: FloorJobs
  private let isFloorFirst: Bool

  /// What took how long, in seconds, in the order of the work.
  private(set) var figures: [(name: String, seconds: Double)] = []

  init(_ records: Records, directory: String, isFloorFirst: Bool) {
    self.directory = directory
    jobs = records.jobs
    single = records.single
    advanced = records.advanced
    floorJobs = records.floorJobs
    floorSingle = records.floorSingle
    self.isFloorFirst = isFloorFirst
  }

  /// What all rounds work on.
  struct Records {
    let jobs = (0..<count).map(Job.init)
    let single = (0..<each).map { Job(number: 50_000 + $0) }
    let advanced: FloorJobs
    let floorJobs: FloorJobs
    let floorSingle: FloorJobs

    init() {
      floorJobs = FloorJobs(jobs)
      floorSingle = FloorJobs(single)
      advanced = FloorJobs(
        jobs.map { job in
          var job = job
          job.advance()
          return job
        })
    }
  }

  func run() async throws {
    let workspace = try OpenWorkspace.open(
      at: directory + "/workspace", schema: WorkspaceSchema(applicationID: 0x6265_6e63, objects: [Job.self]),
      mode: .readWrite)
    guard let plain = object_floor_open(directory + "/plain.db", 0),
      let clustered = object_floor_open(directory + "/clustered.db", 1)
    else { throw BenchmarkError("the floor cannot create its databases in \(directory)") }
    defer {
      object_floor_close(plain)
      object_floor_close(clustered)
    }
    // The connection and its statements are made before.
    let warm = (0..<100).map { Job(number: 90_000 + $0) }
    let floorWarm = FloorJobs(warm)
    try await workspace.performChanges([Job.self]) { for job in warm { try $0.submit(Job.creationRequest(job)) } }
    try await workspace.performChanges([Job.self]) { for job in warm { try $0.submit(Job.deletionRequest(job)) } }
    for floor in [plain, clustered] {
      try check(object_floor_insert(floor, floorWarm.start, floorWarm.count))
      try check(object_floor_delete(floor, floorWarm.start, floorWarm.count))
    }

    let jobs = jobs
    let single = single
    try await compare("insert") {
      try check(object_floor_insert($0, floorJobs.start, floorJobs.count))
    } with: {
      try await workspace.performChanges([Job.self]) { for job in jobs { try $0.submit(Job.creationRequest(job)) } }
    } on: {
      (workspace, plain, clustered)
    }
    try await compare("insertEach") {
      try check(object_floor_insert_each($0, floorSingle.start, floorSingle.count))
    } with: {
      for job in single { try await workspace.performChanges([Job.self]) { try $0.submit(Job.creationRequest(job)) } }
    } on: {
      (workspace, plain, clustered)
    }
    try await workspace.performChanges([Job.self]) { for job in single { try $0.submit(Job.deletionRequest(job)) } }
    for floor in [plain, clustered] {
      try check(object_floor_delete(floor, floorSingle.start, floorSingle.count))
    }

    try await compare("fetchAll") {
      try fetch($0, expecting: Self.count) { object_floor_all($0, $1, $2) }
    } with: {
      try expect(workspace.fetch(for: Job.self).all().count, Self.count)
    } on: {
      (workspace, plain, clustered)
    }
    let names = (0..<100).map { "pipeline-\($0)" }
    try await compare("fetchIndexed") { floor in
      for turn in 0..<1000 {
        try names[turn % 100].withCString { name in
          try fetch(floor, expecting: 100) { object_floor_of_pipeline($0, name, $1, $2) }
        }
      }
    } with: {
      for turn in 0..<1000 {
        try expect(workspace.fetch(for: Job.self).where(Job.pipeline == names[turn % 100]).count, 100)
      }
    } on: {
      (workspace, plain, clustered)
    }

    try await observe(workspace, plain, clustered)

    // The floor writes the columns that change, and then, as whoever has whole records does, all of them but the key.
    for (floor, name) in [(plain, "updateColumnsFloor"), (clustered, "updateColumnsFloorClustered")] {
      let (start, processor) = (ContinuousClock.now, processorSeconds())
      try check(object_floor_update(floor, advanced.start, advanced.count, 0))
      figures.append((name, seconds(since: start)))
      figures.append((name + "Processor", processorSeconds() - processor))
    }
    try await compare("update") {
      try check(object_floor_update($0, floorJobs.start, floorJobs.count, 1))
    } with: {
      try await workspace.performChanges([Job.self]) { context in
        for job in jobs { try context.submit(Job.changeRequest(job) { $0.advance() }) }
      }
    } on: {
      (workspace, plain, clustered)
    }
    try await compare("delete") {
      try check(object_floor_delete($0, floorJobs.start, floorJobs.count))
    } with: {
      try await workspace.performChanges([Job.self]) { for job in jobs { try $0.submit(Job.deletionRequest(job)) } }
    } on: {
      (workspace, plain, clustered)
    }
    await workspace.shutdown()
  }

  /// The floor in its two forms and the workspace, in turns.
  private func compare(
    _ name: String, _ floor: (OpaquePointer) throws -> Void, with subject: () async throws -> Void,
    on databases: () -> (OpenWorkspace, OpaquePointer, OpaquePointer)
  ) async throws {
    let (workspace, plain, clustered) = databases()
    func time(_ name: String, _ body: () async throws -> Void, settle: () async throws -> Void = {}) async throws {
      let (start, processor) = (ContinuousClock.now, processorSeconds())
      try await body()
      figures.append((name, seconds(since: start)))
      // What is done behind the answer takes none of the time of whoever waits, but of the processors; and it is not to disturb what comes next.
      try await settle()
      figures.append((name + "Processor", processorSeconds() - processor))
    }
    for turn in 0..<3 {
      switch isFloorFirst ? turn : 2 - turn {
      case 0: try await time(name + "Floor") { try floor(plain) }
      case 1: try await time(name + "FloorClustered") { try floor(clustered) }
      default: try await time(name, subject) { try await workspace.performChanges([]) { _ in } }
      }
    }
  }

  /// Subscriptions: 1,000 objects and 1,000 results of one row, while one transaction updates 1,000 or 10,000 objects.
  private func observe(
    _ workspace: OpenWorkspace, _ plain: OpaquePointer, _ clustered: OpaquePointer
  ) async throws {
    let watched = Array(jobs.prefix(Self.each))
    let jobs = jobs
    func update(_ jobs: [Job], _ attempt: Int) async throws -> (
      begun: ContinuousClock.Instant, handled: ContinuousClock.Instant
    ) {
      let begun = ContinuousClock.now
      let handled = try await workspace.performChanges([Job.self]) { context in
        for job in jobs { try context.submit(Job.changeRequest(job) { $0.attempt = attempt }) }
        return ContinuousClock.now
      }
      return (begun, handled)
    }
    let tally = Tally(goal: Self.each)
    let began = ContinuousClock.now
    var subscriptions = try watched.map { job in
      try workspace.subscribe(object: job) { _ in tally.count() }
    }
    figures.append(("subscribe", seconds(since: began)))
    // The first transaction lets them look at the present state.
    try await workspace.performChanges([]) { _ in }

    for (floor, name) in [(plain, "observeObjectsFloor"), (clustered, "observeObjectsFloorClustered")] {
      try check(object_floor_update(floor, advanced.start, Int32(Self.each), 1))
      let (start, processor) = (ContinuousClock.now, processorSeconds())
      try check(object_floor_update(floor, floorJobs.start, Int32(Self.each), 1))
      figures.append((name, seconds(since: start)))
      figures.append((name + "Processor", processorSeconds() - processor))
    }
    let processor = processorSeconds()
    let (begun, _) = try await update(watched, 2)
    try expect(tally.told, Self.each)
    figures.append(("observeObjects", (tally.last - begun) / .seconds(1)))
    figures.append(("observeObjectsProcessor", processorSeconds() - processor))

    tally.reset()
    let (_, handled) = try await update(jobs, 3)
    try expect(tally.told, Self.each)
    figures.append(("observeResultsFloor", (tally.last - handled) / .seconds(1)))
    for subscription in subscriptions { subscription.cancel() }

    subscriptions = try watched.map { job in
      try workspace.subscribe(fetchedResult: workspace.fetch(for: Job.self).where(Job.id == job.id)) { _ in
        tally.count()
      }
    }
    try await workspace.performChanges([]) { _ in }
    tally.reset()
    let (_, resultsHandled) = try await update(jobs, 4)
    try expect(tally.told, Self.each)
    figures.append(("observeResults", (tally.last - resultsHandled) / .seconds(1)))
    for subscription in subscriptions { subscription.cancel() }
    try await workspace.performChanges([]) { _ in }
  }
}

/// How often subscribers were told, and when the last of them was.
private final class Tally: Sendable {
  private let goal: Int
  private let number = Atomic(0)
  private let instant = Mutex(ContinuousClock.now)

  init(goal: Int) {
    self.goal = goal
  }

  var told: Int { number.load(ordering: .relaxed) }
  var last: ContinuousClock.Instant { instant.withLock { $0 } }

  func count() {
    if number.wrappingAdd(1, ordering: .relaxed).newValue == goal { instant.withLock { $0 = .now } }
  }

  func reset() { number.store(0, ordering: .relaxed) }
}

private func fetch(
  _ floor: OpaquePointer, expecting count: Int,
  _ body: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<object_floor_job>?>, UnsafeMutablePointer<Int32>) ->
    Int32
) throws {
  var jobs: UnsafeMutablePointer<object_floor_job>?
  var found: Int32 = 0
  try check(body(floor, &jobs, &found))
  object_floor_free(jobs, found)
  try expect(Int(found), count)
}

private func check(_ code: Int32) throws {
  if code != 0 { throw BenchmarkError("the floor failed with SQLite's code \(code)") }
}

private func expect(_ found: Int, _ expected: Int) throws {
  if found != expected { throw BenchmarkError("\(found) and not \(expected)") }
}

private func seconds(since start: ContinuousClock.Instant) -> Double {
  (ContinuousClock.now - start) / .seconds(1)
}

/// What all threads of the process have had of the processors.
private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
