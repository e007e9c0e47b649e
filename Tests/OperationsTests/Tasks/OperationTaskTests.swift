import Operations
import Testing

@Suite("Operation task")
struct OperationTaskTests {
  @Test("A task runs once, for all callers")
  func once() async throws {
    let count = Log<Int>()
    let task = OperationTask<Int, any Error> { _ in count.append(0) }
    #expect(!task.hasStarted && !task.isRunning && !task.isFinished)
    #expect(task.finishedResult == nil)
    #expect(try await task.runIfNeeded() == 1)
    #expect(try await task.runIfNeeded() == 1)
    #expect(task.hasStarted && !task.isRunning && task.isFinished)
    #expect(try task.finishedResult?.get() == 1)
    #expect(count.count == 1)
  }

  @Test("A running task is marked as running, and cancelling it cancels its work for all callers")
  func cancel() async {
    let turnstile = Turnstile()
    let task = OperationTask<Void, any Error> { _ in try await turnstile.pass() }
    let waiters = (1...2).map { _ in Task { try await task.runIfNeeded() } }
    await turnstile.arrives()
    #expect(task.isRunning)
    task.cancel()
    #expect(task.isCancelled)
    for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
    #expect(!task.isRunning)
  }

  @Test("A single waiter may leave, and the last one cancels the work")
  func waiters() async {
    let turnstile = Turnstile()
    let task = OperationTask<Void, any Error> { _ in try await turnstile.pass() }
    let first = Task { try await task.runIfNeeded() }
    await turnstile.arrives()
    let joining = Turnstile()
    let second = Task {
      async let joined: Void = joining.pass()
      try? await joined
      try await task.runIfNeeded()
    }
    await joining.arrives()
    joining.open()
    await Task.yield()
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(turnstile.waitingCount == 1)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(turnstile.waitingCount == 0)
  }

  @Test("A task cancelled before it starts will start cancelled")
  func cancelledBefore() async throws {
    let task = OperationTask<Bool, any Error> { _ in Task.isCancelled }
    task.cancel()
    #expect(task.isCancelled && !task.hasStarted)
    #expect(try await task.runIfNeeded())
  }

  @Test("A task waits for its dependencies, and their errors do not matter")
  func dependencies() async throws {
    let log = Log<Int>()
    let first = OperationTask<Int, any Error> { _ in
      log.append(1)
      throw TestError()
    }
    let second = OperationTask<Int, any Error> { _ in log.append(2) }
    let third = OperationTask<Int, any Error> { _ in log.append(3) }
    try second.schedule(after: first)
    try third.schedule(after: [second, first])
    #expect(try await third.runIfNeeded() == 3)
    #expect(log.elements == [1, 2, 3])
    #expect(throws: OperationTaskScheduleError.alreadyStarted(third.id)) { try third.schedule(after: first) }
  }

  @Test("Tasks that would wait for each other are rejected")
  func cycle() throws {
    let tasks = (1...3).map { _ in OperationTask<Int, any Error> { _ in 1 } }
    try tasks[1].schedule(after: tasks[0])
    try tasks[2].schedule(after: tasks[1])
    #expect(throws: OperationTaskScheduleError.dependencyCycle(tasks[0].id, after: tasks[2].id)) {
      try tasks[0].schedule(after: tasks[2])
    }
    #expect(throws: OperationTaskScheduleError.self) { try tasks[0].schedule(after: tasks[0]) }
  }

  @Test("Value and error can be transformed by another task")
  func maps() async throws {
    let task = OperationTask<Int, any Error> { _ in 2 }
    #expect(try await task.map { $0 * 2 }.runIfNeeded() == 4)
    #expect(task.isFinished)
    let failing = OperationTask<Int, any Error> { _ in throw TestError(number: 1) }
    let mapped = failing.mapError { _ in TestError(number: 2) }
    await #expect(throws: TestError(number: 2)) { try await mapped.runIfNeeded() }
  }

  @Test("The tasks of a store's runs have the configured name")
  func configuration() async throws {
    let names = Log<String?>()
    let query = TestQuery<Int, any Error> { _, _ in
      names.append(Task.name)
      return 1
    }
    let store = OperationStore.detached(
      query.taskConfiguration(OperationTaskConfiguration(name: "inner")).taskConfiguration { $0.priority = .low })
    #expect(store.context.operationTaskConfiguration?.priority == nil)
    try await store.fetch()
    let task = store.fetchTask()
    task.configuration.name = "own"
    try await task.runIfNeeded()
    #expect(names.elements == ["inner", "own"])
  }

  @Test("The dependencies of a task run in parallel")
  func sideBySide() async throws {
    let seen = Log<Bool>()
    let second = OperationTask<Void, any Error> { _ in }
    let first = OperationTask<Void, any Error> { _ in
      for _ in 0..<1_000 where !second.hasStarted { await Task.yield() }
      seen.append(second.hasStarted)
    }
    let third = OperationTask<Void, any Error> { _ in seen.append(first.isFinished && second.isFinished) }
    try third.schedule(after: [first, second])
    try await third.runIfNeeded()
    #expect(seen.elements == [true, true])
  }

  @Test("A task cannot wait for one that is derived from it")
  func cycleOfMaps() async throws {
    let task = OperationTask<Int, any Error> { _ in 1 }
    let mapped = task.map { $0 + 1 }
    let twice = mapped.mapError { $0 }
    #expect(throws: OperationTaskScheduleError.dependencyCycle(task.id, after: mapped.id)) {
      try task.schedule(after: mapped)
    }
    #expect(throws: OperationTaskScheduleError.dependencyCycle(task.id, after: twice.id)) {
      try task.schedule(after: twice)
    }
    try mapped.schedule(after: OperationTask<Int, any Error> { _ in 3 })
    #expect(try await twice.runIfNeeded() == 2)
  }

  @Test("A task that starts while a dependency is being added either rejects it or waits for it")
  func lateDependency() async throws {
    let leaf = OperationTask<Void, Never> { _ in }
    // Searching for a cycle takes long here, so that the start happens during the search.
    let other = OperationTask<Void, Never> { _ in }
    for _ in 0..<20_000 { try other.schedule(after: OperationTask<Void, Never>(work: { _ in })) }
    try other.schedule(after: leaf)
    let task = OperationTask<Bool, Never> { _ in other.isFinished }
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let scheduling = Task {
      begin.yield()
      return Result { () throws(OperationTaskScheduleError) in try task.schedule(after: other) }
    }
    var beginning = begun.makeAsyncIterator()
    _ = await beginning.next()
    let hasWaited = await task.runIfNeeded()
    switch await scheduling.value {
    case .success: #expect(hasWaited)
    case .failure(let error): #expect(error == .alreadyStarted(task.id))
    }
  }

  @Test("An executor that is replaced in a task's configuration is released without a lock held")
  func releasedConfiguration() {
    final class Executor: TaskExecutor {
      let onEnd: @Sendable () -> Void
      init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
      func enqueue(_ job: consuming ExecutorJob) {}
      deinit { onEnd() }
    }
    let ends = Log<Bool>()
    let task = OperationTask<Void, Never> { _ in }
    task.configuration = OperationTaskConfiguration(
      executorPreference: Executor { ends.append(task.hasStarted) })
    task.configuration = OperationTaskConfiguration()
    #expect(ends.elements == [false])
  }
}
