import Operations
import OperationsTesting
import Synchronization

/// A query written as a closure.
struct TestQuery<Value: Sendable, Failure: Error>: QueryRequest {
  var path: OperationPath
  let body: @Sendable (OperationContext, OperationContinuation<Value, Failure>) async throws(Failure) -> Value

  init(
    path: OperationPath = ["test"],
    _ body: @escaping @Sendable (OperationContext, OperationContinuation<Value, Failure>) async throws(Failure) -> Value
  ) {
    self.path = path
    self.body = body
  }

  func fetch(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    try await body(context, continuation)
  }
}

/// Returns a query that counts its fetches and returns their number.
func countingQuery(path: OperationPath = ["test"], _ count: Log<Int> = Log()) -> TestQuery<Int, any Error> {
  TestQuery(path: path) { _, _ in count.append(0) }
}

/// A gate at which work waits until the test opens it, or until it is cancelled.
final class Turnstile: Sendable {
  private struct Locked {
    var lastID = 0
    var arrived = 0
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let locked = Mutex(Locked())

  /// Waits at the gate; throws `CancellationError` if the task is cancelled.
  func pass() async throws {
    let id = locked.withLock { locked in
      locked.lastID += 1
      return locked.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // In one step, because a watcher that is resumed may open the gate immediately.
        let watchers = locked.withLock { locked in
          locked.waiting[id] = continuation
          locked.arrived += 1
          let reached = locked.watchers.filter { $0.count <= locked.arrived }
          locked.watchers.removeAll { $0.count <= locked.arrived }
          return reached
        }
        for watcher in watchers { watcher.continuation.resume() }
        if Task.isCancelled { end(id, with: .failure(CancellationError())) }
      }
    } onCancel: {
      end(id, with: .failure(CancellationError()))
    }
  }

  var arrivals: Int { locked.withLock { $0.arrived } }
  var waitingCount: Int { locked.withLock { $0.waiting.count } }

  /// Waits until `count` have arrived since the beginning.
  func arrives(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = locked.withLock { locked in
        if locked.arrived >= count { return true }
        locked.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Resumes all work that is waiting now.
  func open() {
    let waiting = locked.withLock { locked in
      defer { locked.waiting = [:] }
      return locked.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for continuation in waiting { continuation.resume() }
  }

  private func end(_ id: Int, with result: Result<Void, any Error>) {
    locked.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
  }
}

/// A mutation written as a closure.
struct TestMutation<Arguments: Sendable>: MutationRequest {
  var path: OperationPath = ["mutation"]
  let body: @Sendable (Arguments, OperationContext) async throws -> Int

  func mutate(
    isolation: isolated (any Actor)?, with arguments: Arguments, in context: OperationContext,
    with continuation: OperationContinuation<Int, any Error>
  ) async throws -> Int {
    try await body(arguments, context)
  }
}

/// A list of pages of numbers from `first` through `last`: the page `n` is "n". `fetch` can be replaced by the test.
struct Numbers: PaginatedRequest {
  var path: OperationPath = ["numbers"]
  var first = 0
  var last = 4
  var initialPageID = 2
  var fetch: @Sendable (Paging<Int, String>, OperationContinuation<String, any Error>) async throws -> String = {
    paging, _ in "\(paging.pageID)"
  }

  func pageID(after page: Page<Int, String>, using paging: Paging<Int, String>, in context: OperationContext) -> Int? {
    page.id < last ? page.id + 1 : nil
  }

  func pageID(before page: Page<Int, String>, using paging: Paging<Int, String>, in context: OperationContext) -> Int? {
    page.id > first ? page.id - 1 : nil
  }

  func fetchPage(
    isolation: isolated (any Actor)?, using paging: Paging<Int, String>, in context: OperationContext,
    with continuation: OperationContinuation<String, any Error>
  ) async throws -> String {
    try await fetch(paging, continuation)
  }
}

extension OperationStore {
  /// Waits until the state satisfies `condition`. Counts as a subscriber meanwhile.
  func reaches(_ condition: @escaping @Sendable (State) -> Bool) async {
    for await element in states where condition(element.state) { return }
  }
}
