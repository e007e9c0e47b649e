import Foundation
import Testing
import Workspace

/// Waits for a condition that a callback on another thread satisfies; fails after ten seconds.
func eventually(_ condition: () throws -> Bool) async throws {
  for _ in 0..<10_000 {
    if try condition() { return }
    try await Task.sleep(for: .milliseconds(1))
  }
  Issue.record("it never happened")
}

@Suite("Subscriptions")
struct SubscriptionTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  private func change(_ id: String, _ body: @escaping @Sendable (inout Job) -> Void) async throws {
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.changeRequest(Job(id: id), body)) }
  }

  private func rank(_ id: String, _ attempt: Int) async throws { try await change(id) { $0.attempt = attempt } }

  @Test(
    "An object's subscriber is notified of each change before the completion, and of the deletion, which is the last")
  func object() async throws {
    try await workspace.add([Job(id: "a"), Job(id: "b")])
    let seen = Collected<SubscribedObject<Job>>()
    let subscription = try workspace.subscribe(object: Job(id: "a")) { seen.append($0) }
    try await rank("a", 2)
    #expect(seen.all == [.updated(Job(id: "a", attempt: 2))])
    try await rank("b", 2)
    try await rank("a", 2)
    #expect(seen.all.count == 1)
    try await workspace.performChanges([Job.self]) { context in
      for number in 3...9 { try context.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = number }) }
    }
    #expect(seen.all.count == 2)
    #expect(seen.all.last == .updated(Job(id: "a", attempt: 9)))
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.deletionRequest(Job(id: "a"))) }
    try await workspace.add([Job(id: "a")])
    #expect(seen.all.count == 3)
    #expect(seen.all.last == .deleted)
    withExtendedLifetime(subscription) {}
  }

  @Test("A subscriber whose object is outdated or deleted is notified immediately")
  func stale() async throws {
    let old = Job(id: "a")
    try await workspace.add([old])
    try await rank("a", 5)
    let seen = Collected<SubscribedObject<Job>>()
    let first = try workspace.subscribe(object: old) { seen.append($0) }
    let second = try workspace.subscribe(object: Job(id: "gone")) { seen.append($0) }
    try await eventually { seen.all.count == 2 }
    #expect(seen.all.contains(.updated(Job(id: "a", attempt: 5))))
    #expect(seen.all.contains(.deleted))
    withExtendedLifetime((first, second)) {}
  }

  @Test("A change of the key is a deletion to subscribers of the old key")
  func keyChange() async throws {
    try await workspace.add([Job(id: "a")])
    let seen = Collected<SubscribedObject<Job>>()
    let subscription = try workspace.subscribe(object: Job(id: "a")) { seen.append($0) }
    try await change("a") { $0.id = "b" }
    #expect(seen.all == [.deleted])
    withExtendedLifetime(subscription) {}
  }

  @Test("A limited live result always equals what a fresh query finds")
  func limited() async throws {
    try await workspace.add((1...5).map { Job(id: "\($0)", attempt: $0) })
    let fetch = workspace.fetch(for: Job.self)
    let result = try fetch.all(limit: 3, orderBy: [Job.attempt.ascending])
    let seen = Collected<[String]>()
    let subscription = try workspace.subscribe(fetchedResult: result) { seen.append($0.map(\.id)) }
    try await rank("1", 10)
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.deletionRequest(Job(id: "3"))) }
    try await rank("1", 0)
    try await rank("5", 50)
    #expect(seen.all == [["2", "3", "4"], ["2", "4", "5"], ["1", "2", "4"]])
    withExtendedLifetime(subscription) {}
  }

  @Test("Results are notified of objects that enter, leave or change, and of nothing else")
  func results() async throws {
    try await workspace.add((1...6).map { Job(id: "\($0)", pipeline: $0 < 4 ? "x" : "y", attempt: $0) })
    let fetch = workspace.fetch(for: Job.self)
    let conditions: [Condition<Job>] = [
      Job.pipeline == "x", Job.attempt.between(2, 3), Job.attempt > 4 && Job.state == .queued,
      Job.pipeline.hasPrefix("y"),
      Job.pipeline.contains("z"), Job.exitCode == nil, Job.id.in(["1", "6"]), Job.id == "2" || Job.id == "3",
      !(Job.pipeline == "x"),
    ]
    let seen = conditions.map { _ in Collected<String>() }
    let subscriptions = try zip(conditions, seen).map { condition, seen in
      try workspace.subscribe(fetchedResult: fetch.where(condition)) { seen.append($0.map(\.id).joined()) }
    }
    func told() -> [String] {
      seen.map { $0.all.joined(separator: ",") }
    }
    #expect(told() == ["", "", "", "", "", "", "", "", ""])
    try await change("2") { $0.pipeline = "z" }
    #expect(told() == ["13", "23", "", "", "2", "123456", "", "23", "2456"])
    try await change("6") { $0.attempt = 3 }
    #expect(told() == ["13", "23,236", "5", "456", "2", "123456,123456", "16", "23", "2456,2456"])
    try await change("5") { $0.exitCode = 1 }
    #expect(told()[5] == "123456,123456,12346")
    #expect(told()[0] == "13")
    withExtendedLifetime(subscriptions) {}
  }

  @Test("Changes by query and with SQL reach subscribers like others")
  func byQuery() async throws {
    try await workspace.add((1...4).map { Job(id: "\($0)", attempt: $0) })
    let seen = Collected<String>()
    let objects = Collected<SubscribedObject<Job>>()
    let result = try workspace.fetch(for: Job.self).where(Job.attempt > 2)
    let first = try workspace.subscribe(fetchedResult: result) { seen.append($0.map(\.id).joined()) }
    let second = try workspace.subscribe(object: Job(id: "2", attempt: 2)) { objects.append($0) }
    try await workspace.performChanges([Job.self]) {
      try $0.update(Job.self, set: [Job.attempt.set(3)], where: Job.attempt < 3)
    }
    #expect(seen.all == ["1234"])
    #expect(objects.all == [.updated(Job(id: "2", attempt: 3))])
    try await workspace.performChanges([Job.self]) { try $0.delete(Job.self, where: Job.attempt == 3) }
    #expect(seen.all == ["1234", "4"])
    #expect(objects.all.last == .deleted)
    try workspace.sql("UPDATE job SET attempt = 0")
    try await eventually { seen.all.last == "" }
    withExtendedLifetime((first, second)) {}
  }

  @Test("A rolled back transaction notifies no subscriber")
  func rolledBack() async throws {
    try await workspace.add([Job(id: "a")])
    let seen = Collected<SubscribedObject<Job>>()
    let subscription = try workspace.subscribe(object: Job(id: "a")) { seen.append($0) }
    _ = await caught(ChangeError.self) {
      try await workspace.performChanges([Job.self]) { context in
        try context.submit(Job.deletionRequest(Job(id: "a")))
        context.abort()
      }
    }
    try await workspace.add([Job(id: "b")])
    #expect(seen.all.isEmpty)
    withExtendedLifetime(subscription) {}
  }

  @Test("A slow subscriber delays no transaction, and receives the last state of what it missed")
  func slow() async throws {
    try await workspace.add([Job(id: "a")])
    let seen = Collected<Int>()
    let isHeld = DispatchSemaphore(value: 0)
    let subscription = try workspace.subscribe(object: Job(id: "a")) { change in
      if case .updated(let job) = change { seen.append(job.attempt) }
      if seen.all.count == 1 { isHeld.wait() }
    }
    let workspace = workspace
    let done = Collected<Int>()
    for number in 2...50 {
      workspace.performChanges([Job.self]) {
        try $0.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = number })
      } completionHandler: { _ in
        done.append(number)
      }
    }
    // All of them are committed before the first handler has returned.
    try await eventually { try workspace.job("a")?.attempt == 50 && seen.all.count == 1 }
    let first = try #require(seen.all.first)
    #expect(done.all.allSatisfy { $0 <= first })
    isHeld.signal()
    try await eventually { done.all.count == 49 }
    // On a busy computer, the first call may already have the last state.
    #expect(seen.all == (first == 50 ? [50] : [first, 50]))
    #expect(done.all == Array(2...50))
    withExtendedLifetime(subscription) {}
  }

  @Test("Subscribers are notified of commits in order, even with many concurrent tasks", .timeLimit(.minutes(10)))
  func manyTasks() async throws {
    try await workspace.add([Job(id: "a", attempt: 0)])
    let seen = Collected<Int>()
    let subscription = try workspace.subscribe(object: Job(id: "a", attempt: 0)) {
      if case .updated(let job) = $0 { seen.append(job.attempt) }
    }
    let workspace = workspace
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 {
            let attempt = try await workspace.performChanges([Job.self]) { context in
              try context.submit(Job.changeRequest(Job(id: "a")) { $0.attempt += 1 }).object?.attempt
            }
            // Notified before the completion, of this state or a later one.
            #expect((seen.all.last ?? -1) >= attempt ?? 0)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.all.last == 800)
    #expect(seen.all == seen.all.sorted())
    withExtendedLifetime(subscription) {}
  }

  @Test("An object deleted while a handler is busy is reported as deleted, even if another gets its key")
  func replaced() async throws {
    let workspace = workspace
    try await workspace.add([Job(id: "a"), Job(id: "b")])
    let busy = Collected<Int>()
    let isHeld = DispatchSemaphore(value: 0)
    let first = try workspace.subscribe(object: Job(id: "b")) { _ in
      busy.append(1)
      isHeld.wait()
    }
    let seen = Collected<SubscribedObject<Job>>()
    let second = try workspace.subscribe(object: Job(id: "a")) { seen.append($0) }
    try await workspace.performChanges([]) { _ in }
    let done = Collected<Int>()
    func change(_ number: Int, _ request: @escaping @Sendable () -> ChangeRequest<Job>) {
      workspace.performChanges([Job.self]) {
        try $0.submit(request())
      } completionHandler: { _ in
        done.append(number)
      }
    }
    change(1) { Job.changeRequest(Job(id: "b")) { $0.attempt = 2 } }
    try await eventually { busy.all == [1] }
    change(2) { Job.deletionRequest(Job(id: "a")) }
    change(3) { Job.creationRequest(Job(id: "a", attempt: 7)) }
    try await eventually { try workspace.job("a")?.attempt == 7 }
    isHeld.signal()
    try await eventually { done.all == [1, 2, 3] }
    #expect(seen.all == [.deleted])
    withExtendedLifetime((first, second)) {}
  }

  @Test("A cancelled or released subscription is not notified any more; a handler may cancel its own")
  func cancelling() async throws {
    try await workspace.add([Job(id: "a")])
    let seen = Collected<String>()
    let cancelled = try workspace.subscribe(object: Job(id: "a")) { _ in seen.append("cancelled") }
    var dropped: Subscription? = try workspace.subscribe(object: Job(id: "a")) { _ in seen.append("dropped") }
    final class Box: @unchecked Sendable { var subscription: Subscription? }
    let box = Box()
    box.subscription = try workspace.subscribe(object: Job(id: "a")) { _ in
      seen.append("self")
      box.subscription?.cancel()
      box.subscription?.cancel()
    }
    cancelled.cancel()
    dropped = nil
    _ = dropped
    try await rank("a", 2)
    try await rank("a", 3)
    #expect(seen.all == ["self"])
  }

  @Test("An object's states are an asynchronous sequence that ends with its deletion")
  func objectSequence() async throws {
    try await workspace.add([Job(id: "a")])
    var states = workspace.publisher(for: Job(id: "a")).makeAsyncIterator()
    // The subscription begins with the first call of `next()`, which finds that the object is outdated.
    try await rank("a", 2)
    #expect(try await states.next() == .updated(Job(id: "a", attempt: 2)))
    try await rank("a", 3)
    try await rank("a", 4)
    #expect(try await states.next() == .updated(Job(id: "a", attempt: 4)))
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.deletionRequest(Job(id: "a"))) }
    #expect(try await states.next() == .deleted)
    #expect(try await states.next() == nil)
  }

  @Test("A live query begins with its result, continues with differences, and ends with the workspace")
  func querySequence() async throws {
    try await workspace.add((1...4).map { Job(id: "\($0)", attempt: $0) })
    var results = workspace.publisher(for: Job.self).where(Job.attempt > 1, orderBy: [Job.attempt.ascending])
      .makeAsyncIterator()
    let first = try #require(try await results.next())
    #expect(first.result.map(\.id) == ["2", "3", "4"])
    #expect(first.difference.insertions == [0, 1, 2])
    try await workspace.performChanges([Job.self]) { context in
      try context.submit(Job.changeRequest(Job(id: "2")) { $0.attempt = 9 })
      try context.submit(Job.deletionRequest(Job(id: "3")))
      try context.submit(Job.creationRequest(Job(id: "5", attempt: 5)))
    }
    let second = try #require(try await results.next())
    #expect(second.result.map(\.id) == ["4", "5", "2"])
    #expect(second.difference.deletions == [1])
    #expect(second.difference.insertions == [1])
    #expect(
      second.difference.moves.map { [$0.from, $0.to] } == [[0, 2]]
        || second.difference.moves.map { [$0.from, $0.to] } == [[2, 0]])
    #expect(second.difference.updates == [2])
    for number in 0..<30 { try await rank("4", 100 + number) }
    let third = try #require(try await results.next())
    #expect(third.result.last?.attempt == 129)
    #expect(try third.result == workspace.fetch(for: Job.self).where(Job.attempt > 1, orderBy: [Job.attempt.ascending]))
    await workspace.shutdown()
    #expect(try await results.next() == nil)
  }

  @Test("Changes by another workspace object on the same directory reach subscribers")
  func otherConnection() async throws {
    try await workspace.add([Job(id: "a"), Job(id: "b")])
    let objects = Collected<SubscribedObject<Job>>()
    let results = Collected<Int>()
    let first = try workspace.subscribe(object: Job(id: "a")) { objects.append($0) }
    let second = try workspace.subscribe(fetchedResult: workspace.fetch(for: Job.self).all()) {
      results.append($0.count)
    }
    let other = try openJobs(directory)
    for number in 0..<20 {
      try await other.performChanges([Job.self]) { context in
        try context.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = number + 10 })
        try context.submit(Job.creationRequest(Job(id: "new \(number)")))
      }
      try await eventually {
        objects.all.last == .updated(Job(id: "a", attempt: number + 10)) && results.all.last == number + 3
      }
    }
    try await other.performChanges([Job.self]) { try $0.submit(Job.deletionRequest(Job(id: "a"))) }
    try await eventually { objects.all.last == .deleted }
    withExtendedLifetime((first, second)) {}
  }

  @Test("A read-only workspace is notified of other processes' changes")
  func readOnly() async throws {
    try await workspace.add([Job(id: "a")])
    let reader = try openJobs(directory, mode: .readOnly)
    let seen = Collected<SubscribedObject<Job>>()
    let subscription = try reader.subscribe(object: Job(id: "a")) { seen.append($0) }
    try await rank("a", 2)
    try await eventually { seen.all == [.updated(Job(id: "a", attempt: 2))] }
    withExtendedLifetime(subscription) {}
  }
}
