import Foundation
import Testing

@testable import Workspace

@Suite("Changes by other processes")
struct FollowingTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace
  /// Stands for another process: a separate workspace object in the same directory.
  let other: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
    other = try openJobs(directory)
  }

  @Test("A subscriber to a type is notified of changes by objects, SQL and others, but not of other types")
  func types() async throws {
    let jobs = Collected<Int>()
    let notes = Collected<Int>()
    let subscriptions = [
      try workspace.subscribe(changesOf: Job.self) { jobs.append(1) },
      try workspace.subscribe(changesOf: Note.self) { notes.append(1) },
    ]
    // It is notified once at the beginning, and once when the watch on other processes begins.
    try await eventually { jobs.all.count >= 1 && notes.all.count >= 1 }
    try await Task.sleep(for: .milliseconds(50))
    let (before, notesBefore) = (jobs.all.count, notes.all.count)
    try await workspace.add([Job(id: "a")])
    #expect(jobs.all.count == before + 1)
    try workspace.write(changing: [Job.self]) { try $0.execute(sql: "UPDATE job SET attempt = 2") }
    try await eventually { jobs.all.count == before + 2 }
    #expect(notes.all.count == notesBefore)
    // The type of another process's changes is unknown.
    try await other.add([Job(id: "b")])
    try await eventually { jobs.all.count >= before + 3 && notes.all.count > notesBefore }
    subscriptions.forEach { $0.cancel() }
  }

  @Test(
    "A subscriber to a group is notified of all changes except those known to concern only other groups")
  func groups() async throws {
    let (left, right, whole) = (Collected<Int>(), Collected<Int>(), Collected<Int>())
    let subscriptions = [
      try workspace.subscribe(changesOf: Job.self, in: "left") { left.append(1) },
      try workspace.subscribe(changesOf: Job.self, in: "right") { right.append(1) },
      try workspace.subscribe(changesOf: Job.self) { whole.append(1) },
    ]
    try await eventually { left.all.count >= 1 && right.all.count >= 1 && whole.all.count >= 1 }
    try await Task.sleep(for: .milliseconds(50))
    let before = [left, right, whole].map(\.all.count)
    func expect(_ more: [Int]) async throws {
      let wanted = zip(before, more).map { $0 + $1 }
      try await eventually { [left, right, whole].map(\.all.count) == wanted }
    }
    var types = ChangedTypes()
    types.insert(Job.self, in: "left")
    try workspace.write(changing: types) { try $0.execute(sql: "UPDATE job SET attempt = 2") }
    try await expect([1, 0, 1])
    types.insert(Job.self, in: "right")
    try workspace.write(changing: types) { try $0.execute(sql: "UPDATE job SET attempt = 3") }
    try await expect([2, 1, 2])
    // The groups of these are unknown.
    try workspace.write(changing: [Job.self]) { try $0.execute(sql: "UPDATE job SET attempt = 4") }
    try await expect([3, 2, 3])
    try await workspace.add([Job(id: "a")])
    try await expect([4, 3, 4])
    var ungrouped = ChangedTypes()
    ungrouped.insertUngrouped(Job.self)
    try workspace.write(changing: ungrouped) { try $0.execute(sql: "UPDATE job SET attempt = 5") }
    try await expect([4, 3, 5])
    subscriptions[0].cancel()
    types.insert(Job.self)
    types.insert(Job.self, in: "left")
    types.insertUngrouped(Job.self)
    try workspace.write(changing: types) { try $0.execute(sql: "UPDATE job SET attempt = 6") }
    try await expect([4, 4, 6])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A result is updated after SQL on its type, and not read after SQL on another")
  func writes() async throws {
    try await workspace.add([Job(id: "a")])
    let seen = Collected<Int>()
    let jobs = try workspace.fetch(for: Job.self).all()
    let subscription = try workspace.subscribe(fetchedResult: jobs) { seen.append($0.first?.attempt ?? 0) }
    try workspace.write(changing: [Job.self]) { try $0.execute(sql: "UPDATE job SET attempt = 7") }
    try await eventually { seen.all == [7] }
    withExtendedLifetime(subscription) {}
  }

  @Test("Files in a directory of the workspace are watched until the subscription ends, and subdirectories are not")
  func files() async throws {
    let folder = directory.workspace + "/logs"
    let seen = Collected<Int>()
    #expect(workspace.subscribe(filesIn: "logs", changeHandler: {}) == nil)
    try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
    let subscription = try #require(workspace.subscribe(filesIn: "logs") { seen.append(1) })
    let again = try #require(workspace.subscribe(filesIn: "logs") { seen.append(2) })
    #expect(FileManager.default.createFile(atPath: folder + "/1.out", contents: Data("a".utf8)))
    try await eventually { seen.all.contains(1) && seen.all.contains(2) }
    subscription.cancel()
    try await Task.sleep(for: .milliseconds(20))
    let before = seen.all.count
    #expect(FileManager.default.createFile(atPath: folder + "/deep/x", contents: Data("a".utf8)))
    #expect(FileManager.default.createFile(atPath: folder + "/2.out", contents: Data("a".utf8)))
    try await eventually { seen.all.count > before }
    #expect(!seen.all[before...].contains(1))
    withExtendedLifetime(again) {}
  }

  @Test("Without inotify, the database and the files are polled")
  func polling() async throws {
    let looks = Collected<Int>()
    let files = Collected<Int>()
    // A directory that does not exist cannot be watched.
    let changes = ForeignChanges(directory: directory.path + "/none") { looks.append(1) }
    #expect(changes.follow(directory.path) { files.append(1) } != nil)
    changes.start()
    try await eventually { looks.all.count >= 2 && !files.all.isEmpty }
    changes.stop()
  }

  @Test("An announcement triggers a check, however long ago the commit was written")
  func announced() async throws {
    let looks = Collected<Int>()
    let changes = ForeignChanges(directory: workspace.directory) { looks.append(1) }
    changes.start()
    try await eventually { !looks.all.isEmpty }
    // Wait until all checks for the writes before have ended.
    var count = -1
    while count != looks.all.count {
      count = looks.all.count
      try await Task.sleep(for: .milliseconds(800))
    }
    workspace.announce()
    try await eventually { looks.all.count > count }
    changes.stop()
  }

  @Test("Each change by another workspace object is reported soon, however long nothing has changed")
  func latency() async throws {
    try await workspace.add([Job(id: "a", attempt: 0)])
    let seen = Collected<(attempt: Int, at: ContinuousClock.Instant)>()
    let clock = ContinuousClock()
    let jobs = try workspace.fetch(for: Job.self).all()
    let subscription = try workspace.subscribe(fetchedResult: jobs) { seen.append(($0.first?.attempt ?? 0, clock.now)) }
    var taken: [Duration] = []
    for attempt in 1...30 {
      // Some within the checks after the previous commit, some after all of them.
      try await Task.sleep(for: .milliseconds(attempt == 30 ? 1200 : attempt * 3))
      try await other.performChanges([Job.self]) { context in
        try context.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = attempt })
      }
      let committed = clock.now
      try await eventually { seen.all.last?.attempt == attempt }
      taken.append((seen.all.last?.at ?? committed) - committed)
    }
    taken.sort()
    if ProcessInfo.processInfo.environment["PENSTOCK_LATENCY"] != nil {
      print("latency: median \(taken[15]), greatest \(taken[29])")
    }
    #expect(taken[29] < .seconds(1), "\(taken)")
    withExtendedLifetime(subscription) {}
  }
}
