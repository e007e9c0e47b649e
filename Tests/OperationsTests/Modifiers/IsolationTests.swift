import Operations
import Synchronization
import Testing

@Suite("Isolation")
struct IsolationTests {
  /// Runs its jobs on a thread of its own choice (that of whoever enqueues, one at a time) and counts them.
  private final class CountingExecutor: SerialExecutor {
    private struct Queue {
      var jobs: [UnownedJob] = []
      var running = false
      var count = 0
    }
    private let queue = Mutex(Queue())

    var count: Int { queue.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let mine = queue.withLock { queue in
        queue.jobs.append(job)
        queue.count += 1
        defer { queue.running = true }
        return !queue.running
      }
      guard mine else { return }
      while let next = next() { next.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private func next() -> UnownedJob? {
      queue.withLock { queue in
        guard !queue.jobs.isEmpty else {
          queue.running = false
          return nil
        }
        return queue.jobs.removeFirst()
      }
    }
  }

  private actor Engine {
    private let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var log: [String] = []

    nonisolated func note(_ text: String) {
      assumeIsolated { $0.log.append(text) }
    }

    struct Step: OperationRequest {
      let engine: Engine
      let failures: Int

      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<String, TestError>
      ) async throws(TestError) -> String {
        // Traps when the modifiers have left the engine.
        engine.note("attempt")
        guard (context.operationRetryIndex ?? -1) + 1 >= failures else { throw TestError() }
        return "done"
      }
    }

    func run(_ change: (Step) -> some OperationRequest<String, any Error>, failures: Int = 0) async throws -> (Int, [String]) {
      var context = OperationContext()
      context.operationDelayer = FakeTime()
      context.retryObserver = RetryObserver(onAttempt: { number in
        self.note("begin \(number)")
      })
      let runner = OperationRunner(change(Step(engine: self, failures: failures)), context: context)
      let before = executor.count
      _ = try await runner.run()
      return (executor.count - before, log)
    }
  }

  @Test("A chain without timers stays on its actor without a single hop")
  func noHop() async throws {
    let (jobs, log) = try await Engine().run { $0.timeout(nil).retry(limit: 3).repeating(nil) }
    #expect(jobs == 0)
    #expect(log == ["begin 1", "attempt"])
  }

  @Test("Retries and waits stay on the actor")
  func retries() async throws {
    let (jobs, log) = try await Engine().run({ $0.retry(limit: 3) }, failures: 2)
    #expect(jobs == 0)
    #expect(log == ["begin 1", "attempt", "begin 2", "attempt", "begin 3", "attempt"])
  }

  @Test("A timeout runs the operation on the actor too")
  func timeout() async throws {
    let engine = Engine()
    let (_, log) = try await engine.run { $0.timeout(.seconds(60)).delayer(ContinuousDelayer()).retry(limit: 3) }
    #expect(log == ["begin 1", "attempt"])
  }
}
