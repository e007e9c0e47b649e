import Synchronization
import Testing
import Workspace

@testable import RunHistory

/// Counts notifications.
private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }

  /// Waits until it has been notified after `body`; fails after five seconds.
  func expect(_ body: () async throws -> Void) async throws {
    let before = value
    try await body()
    for _ in 0..<5000 where value == before { try await Task.sleep(for: .milliseconds(1)) }
    #expect(value > before)
  }

  /// Waits until notifications stop.
  func settle() async throws {
    var last = -1
    while last != value {
      last = value
      try await Task.sleep(for: .milliseconds(30))
    }
  }
}

@Suite("Following a history")
struct FollowingTests {
  let fixture: HistoryFixture
  /// The history as another process sees it.
  let other: History

  init() throws {
    fixture = try HistoryFixture()
    other = try History.open(at: fixture.directory, mode: .readWrite)
  }

  @Test("A new occasion notifies subscribers of the queue, but not those waiting for requests")
  func occasions() async throws {
    let (requests, places) = (Counter(), Counter())
    // The first subscriber is called first.
    let subscriptions =
      try [fixture.history.followRunRequests { requests.add() }] + fixture.history.followQueue { places.add() }
    try await places.settle()
    let before = requests.value
    let run = QueuedRun(record: fixture.record(), definition: "name: digest")
    let occasion = Occasion(pipeline: "digest", cause: .event, askedAt: HistoryFixture.start)
    try await places.expect { _ = try await fixture.recorder.admit(OccasionRequest(occasion, run: run)) }
    #expect(requests.value == before)
    withExtendedLifetime(subscriptions) {}
  }

  @Test("The beginning and end of a run notify subscribers in any process; changes of its operations do not")
  func runs() async throws {
    let counter = Counter()
    let subscriptions = try other.followRuns { counter.add() }
    let run = fixture.record()
    try await counter.expect {
      fixture.recorder.record(.runCreated(run, definition: ""))
      try await fixture.recorder.flush()
    }
    try await counter.expect {
      fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
      try await fixture.recorder.flush()
    }
    try await counter.settle()
    let before = counter.value
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "fetch", position: 0, state: .running)))
    try await fixture.recorder.flush()
    // A run that begins and ends between two checks is also reported.
    try await counter.expect { try await fixture.ended() }
    try await counter.settle()
    #expect(counter.value <= before + 2)
    subscriptions.forEach { $0.cancel() }
  }

  @Test("Requests and answers reach the host of the run")
  func requests() async throws {
    let run = fixture.record(state: .running)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(
      .approvalRequested(
        Approval(
          run: run.id, ordinal: 0, operation: "fetch", message: "Go?", requestedAt: HistoryFixture.start)))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "fetch", position: 0, state: .waiting)))
    try await fixture.recorder.flush()
    let counter = Counter()
    let subscriptions = try fixture.history.followRequests { counter.add() }
    try await counter.settle()
    try await counter.expect { try other.request(.cancel, of: run.id) }
    try await counter.settle()
    try await counter.expect {
      _ = try other.answerApproval(run.id, operation: "fetch", approved: true, note: nil, who: "ada")
    }
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A subscriber to a lease follows it from one holder to the next, and is not notified of other leases")
  func leases() async throws {
    let counter = Counter()
    let subscription = try other.followLease("disk") { counter.add() }
    try await counter.expect {
      _ = try await fixture.recorder.perform { try Leases.acquire("disk", holder: "run a", in: $0) }
    }
    try await counter.settle()
    let before = counter.value
    _ = try await fixture.recorder.perform { try Leases.acquire("tape", holder: "run b", in: $0) }
    try await counter.expect { try await fixture.recorder.perform { _ = try Leases.release("disk", fence: 1, in: $0) } }
    #expect(counter.value == before + 1)
    subscription.cancel()
  }

  @Test(
    "Subscribers are notified when runs of the pipeline end, not when they begin; ends in other pipelines notify only other processes"
  )
  func endsOfRuns() async throws {
    let (own, foreign) = (Counter(), Counter())
    let subscriptions = [
      try fixture.history.followEnds(ofRunsOf: "digest") { own.add() },
      try other.followEnds(ofRunsOf: "digest") { foreign.add() },
    ]
    try await own.expect { try await fixture.ended("digest") }
    try await own.settle()
    let before = own.value
    try await foreign.expect { try await fixture.ended("another") }
    let begun = fixture.record()
    try await foreign.expect {
      fixture.recorder.record(.runCreated(begun, definition: "name: digest"))
      fixture.recorder.record(.runStarted(begun.id, at: HistoryFixture.start))
      try await fixture.recorder.flush()
    }
    try await own.settle()
    #expect(own.value == before)
    try await own.expect {
      try await fixture.ended("digest", at: HistoryFixture.start.advanced(by: 1), state: .failed)
    }
    subscriptions.forEach { $0.cancel() }
  }
}
