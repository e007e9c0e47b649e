import Dispatch
import Operations
import Synchronization
import Testing

@Suite("Isolation")
struct IsolationTests {
  /// An executor comparable to a thread of its own, which counts its jobs.
  private final class CountingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "isolation-tests")
    private let jobs = Mutex(0)

    var count: Int { jobs.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0 += 1 }
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
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
        // Traps if the modifiers have left the engine.
        engine.note("attempt")
        guard (context.operationRetryIndex ?? -1) + 1 >= failures else { throw TestError() }
        return "done"
      }
    }

    /// Runs a step with modifiers around it; returns how many jobs were enqueued on the engine, and the log.
    func run(
      _ change: (Step) -> some OperationRequest<String, any Error>, failures: Int = 0
    ) async throws -> (jobs: Int, log: [String]) {
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
