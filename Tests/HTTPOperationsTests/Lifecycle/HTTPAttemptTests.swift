import Dispatch
import HTTPOperations
import Operations
import OperationsTesting
import Testing

@Suite("Attempts of HTTP operations")
struct HTTPAttemptTests {
  /// Runs tasks that prefer it on its own queue.
  private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "attempts")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private func operation(
    _ transport: FakeTransport, _ process: @escaping @Sendable () -> Void
  ) -> HTTPOperation<[UInt8]> {
    var operation = HTTPOperation(.init(url: "http://h/"), by: transport, to: .data)
    operation.requestProcessors = [
      HTTPRequestTransform { request, _ in
        process()
        return request
      }
    ]
    return operation
  }

  @Test("An attempt runs on the executor that the task prefers")
  func executor() async throws {
    let executor = QueueExecutor()
    let places = Log<Bool>()
    let operation = operation(FakeTransport(.response(200))) { places.append(executor.isCurrent) }
    let runner = OperationRunner(operation)
    _ = try await Task(executorPreference: executor) { try await runner.run() }.value
    _ = try await runner.run()
    #expect(places.elements == [true, false])
  }

  @Test("An attempt in an already cancelled task does not begin")
  func cancelled() async {
    let begun = Log<Void>()
    let transport = FakeTransport(.response(200))
    let attempt = operation(transport) { begun.append(()) }.attempt
    for _ in 0..<100 {
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask {
          await #expect(throws: CancellationError.self) { try await OperationRunner(attempt).run() }
        }
      }
    }
    #expect(begun.count == 0)
    #expect(transport.requests.isEmpty)
  }

  @Test("Copies of an operation and of its request share their settings until one changes")
  func copies() {
    let first = operation(FakeTransport(.response(200))) {}
    var second = first
    second.request.options.decompresses = false
    second.request.url = "http://other/"
    second.retry.limit = 7
    second.requestProcessors = []
    #expect(first.request.options.decompresses)
    #expect(first.request.url == "http://h/")
    #expect(first.retry.limit == 3)
    #expect(first.requestProcessors.count == 1)
    #expect(!second.request.options.decompresses)
    #expect(second.request.url == "http://other/")
    #expect(second.retry.limit == 7)
    #expect(first.request != second.request)
    var third = first.request
    third.options.window = first.request.options.window
    #expect(third == first.request)
    #expect(third.hashValue == first.request.hashValue)
  }
}
