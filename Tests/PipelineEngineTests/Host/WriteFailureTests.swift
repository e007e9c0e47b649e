import CFaultVFS
import Foundation
import OperatingSystem
import Operations
import OperationsTesting
import Synchronization
import Testing
import Values
import Workspace

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// A host in its own directory whose disk can be full, with a stopped clock and delays that the test ends.
private final class FullDisk: Sendable {
  let directory = NSTemporaryDirectory() + "penstock-full-disk-\(UUID().uuidString)"
  let clock = SettableClock()
  let delayer = ManualDelayer()
  let executor: ScriptedExecutor
  let host: RunHost
  private let failures = AsyncStream.makeStream(of: WriteFailure.self)
  private let recoveries = AsyncStream.makeStream(of: WriteFailure.self)
  let shortages = Mutex<[String]>([])

  init(_ executor: ScriptedExecutor, _ policy: WriteFailurePolicy) throws {
    self.executor = executor
    var configuration = HostConfiguration()
    configuration.clock = clock
    configuration.delayer = delayer
    configuration.executor = executor
    configuration.whenWritingFails = policy
    configuration.onWriteFailure = { [continuation = failures.continuation] in continuation.yield($0) }
    configuration.onWriteRecovery = { [continuation = recoveries.continuation] in continuation.yield($0) }
    let told = LateShortages()
    configuration.onShortage = { told.tell($0) }
    host = try RunHost.open(
      workspace: directory + "/workspace", durability: .process, configuration: configuration)
    told.body.withLock {
      $0 = { [weak self] shortage in
        self?.shortages.withLock { $0.append("\(shortage.operation ?? ""): \(shortage.error.code)") }
      }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// From now on, nothing can be written to the database.
  func fill() {
    #expect(fault_arm(directory, Int32(fault_writes | fault_truncations), 1, 1, 13, ENOSPC) >= 0)
  }

  func free() { fault_disarm(directory) }

  func failure() async -> WriteFailure? { await failures.stream.first { _ in true } }
  func recovery() async -> WriteFailure? { await recoveries.stream.first { _ in true } }

  /// Lets the second pass after which writing is retried.
  func passSecond() async {
    #expect(await delayer.begins() == .seconds(1))
    clock.pass(.seconds(1))
    delayer.endOne()
  }

  func pipeline(_ name: String, _ operations: String, nested: [String: String] = [:]) throws -> PipelineDefinition {
    let files = Dictionary(uniqueKeysWithValues: nested.map { ("\(directory)/\($0.key)", $0.value) })
    let loaded = PipelineLoader.load(
      text: "name: \(name)\noperations: [\(operations)]", path: "\(directory)/\(name).yaml", nested: files)
    return try #require(loaded.pipeline, "\(loaded.diagnostics)")
  }

  /// Starts a run. The stream contains the names of its operations, and of nested ones, as they end.
  func start(_ pipeline: PipelineDefinition) -> (task: Task<RunOutcome, any Error>, ended: AsyncStream<String>) {
    let (ended, ending) = AsyncStream.makeStream(of: String.self)
    let task = Task { [host] in
      try await host.run(pipeline, options: RunOptions()) { event in
        if case .operation(let record) = event, record.state.isFinal { ending.yield(record.name) }
      }
    }
    return (task, ended)
  }

  /// Ends a hanging job, and returns when the event loop has had time to begin what follows.
  func release(_ command: String) async {
    let loop = host.services.loop
    await Task(executorPreference: loop) { [executor] in executor.release(command) }.value
    await turns()
  }

  func turns() async {
    await Task(executorPreference: host.services.loop) { for _ in 0..<100 { await Task.yield() } }.value
  }

  func states(of run: RunID) throws -> [String] {
    try host.history.operations(of: run).map { "\($0.name) \($0.state.rawValue)" }
  }
}

/// Receives shortages, even before the test can listen.
private final class LateShortages: Sendable {
  let body = Mutex<(@Sendable (ResourceShortage) -> Void)?>(nil)
  func tell(_ shortage: ResourceShortage) { body.withLock { $0 }?(shortage) }
}

@Suite("While the history cannot be written", .serialized, .timeLimit(.minutes(2)))
struct WriteFailureTests {
  init() throws {
    // Before anything is opened.
    try #require(fault_install() == 0)
  }

  @Test("a host that holds records begins nothing, cancels nothing, and records everything once there is room again")
  func hold() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs]], by: .fast), .holdUsual)
    let began = disk.clock.now()
    let first = disk.start(
      try disk.pipeline(
        "first",
        "{ name: long, run: long }, { name: next, needs: long, run: next }, { name: shape, needs: long, value: 7 }"))
    try await disk.executor.hangingCount.reaches(1)
    #expect(disk.host.writeFailure == nil)
    disk.fill()
    // Its first record cannot be written.
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    let failure = try #require(await disk.failure())
    #expect(failure.error == .full(path: disk.host.history.workspace.path))
    #expect(failure.since.microseconds == began.seconds * 1_000_000 && failure.heldBytes > 0)

    // What is running ends, and nothing follows.
    await disk.release("long")
    #expect(await disk.first(of: first.ended) == "long")
    let third = disk.start(try disk.pipeline("third", "{ name: late, run: late }"))
    await disk.turns()
    #expect(disk.executor.commands == ["long"])
    let held = try #require(disk.host.writeFailure)
    #expect(held.heldBytes > failure.heldBytes && held.heldRecords > failure.heldRecords && held.interruptedRuns == [])

    // Reported once a minute; writing is retried each second.
    for _ in 0..<60 { await disk.passSecond() }
    #expect(await disk.failure()?.since == failure.since)
    #expect(disk.executor.commands == ["long"])

    disk.free()
    await disk.passSecond()
    #expect(await disk.recovery()?.since == failure.since)
    for run in [first, second, third] { #expect(try await run.task.value.run.state == .succeeded) }
    #expect(disk.host.writeFailure == nil)
    #expect(Set(disk.executor.commands) == ["long", "next", "other", "late"])
    let run = try await first.task.value.run
    #expect(try disk.states(of: run.id) == ["long succeeded", "next succeeded", "shape succeeded"])
    #expect(try disk.host.history.run(run.id) == run)
    try await disk.host.close()
  }

  @Test("a retry, an item of a loop and a handler wait as well, and can be cancelled in the meantime")
  func cancelled() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs, .exits(0)]], by: .fast), .holdUsual)
    let loaded = PipelineLoader.load(
      text: """
        name: first
        operations:
          - { name: long, run: long, retry: { limit: 1, base: 5s, jitter: none } }
          - { name: each, for_each: [1, 2], needs: long, run: item }
        after: { always: [{ name: last, run: last }] }
        """, path: disk.directory + "/first.yaml")
    let first = disk.start(try #require(loaded.pipeline))
    try await disk.executor.hangingCount.reaches(1)
    disk.fill()
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    _ = await disk.failure()
    let loop = disk.host.services.loop
    await Task(executorPreference: loop) { [executor = disk.executor] in executor.release("long", .exited(1)) }.value
    // That of the writer, and that of the retry.
    #expect(Set([await disk.delayer.begins(), await disk.delayer.begins()]) == [.seconds(1), .seconds(5)])
    disk.delayer.endOne()
    disk.delayer.endOne()
    #expect(await disk.delayer.begins() == .seconds(1))
    await disk.turns()
    #expect(disk.executor.commands == ["long"])
    first.task.cancel()
    #expect(await Set([disk.first(of: first.ended), disk.first(of: first.ended)]) == ["long", "each"])
    await disk.turns()
    #expect(disk.executor.commands == ["long"])
    disk.free()
    disk.delayer.endOne()
    _ = await disk.recovery()
    #expect(try await first.task.value.run.state == .cancelled)
    #expect(try await second.task.value.run.state == .succeeded)
    // The handler began when it could.
    #expect(disk.executor.commands.sorted() == ["last", "long", "other"])
    try await disk.host.close()
  }

  @Test("a run whose records no longer fit is interrupted, and resumed without repeating what is recorded")
  func limit() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs], "hung": [.hangs]], by: .fast), .hold(bytes: 1))
    let pipeline = try disk.pipeline(
      "first",
      "{ name: done, run: done }, { name: long, needs: done, run: long }, { name: hung, needs: done, run: hung }, { name: next, needs: long, run: next }"
    )
    let first = disk.start(pipeline)
    try await disk.executor.hangingCount.reaches(2)
    let id = try #require(try disk.host.history.runs(RunFilter(limit: 1)).first?.id)
    // Nothing else of it is written until one of them ends: the first write to fail is a record of the second run, which alone is held.
    while try disk.states(of: id).count < 3 { await Task.yield() }
    try await disk.host.services.recorder.flush()
    disk.fill()
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    _ = await disk.failure()
    await disk.release("long")
    // Everything else running in it is ended immediately, although none of that can be recorded.
    #expect(disk.executor.stops.map(\.handle.job.run) == [id])
    #expect(disk.host.writeFailure?.interruptedRuns == [id])
    #expect(try disk.host.history.run(id)?.state == .running)
    disk.free()
    await disk.passSecond()
    #expect(await disk.recovery()?.interruptedRuns == [id])
    await #expect(throws: EngineError.unrecorded(id)) { try await first.task.value }
    #expect(try await second.task.value.run.state == .succeeded)
    let interrupted = try #require(try disk.host.history.run(id))
    #expect(interrupted.state == .interrupted)
    #expect(
      try disk.states(of: id) == ["done succeeded", "long pending", "hung pending"]
        || disk.states(of: id) == ["done succeeded"])

    let resumed = try await disk.host.resume(id)
    #expect(resumed.run.state == .succeeded)
    #expect(
      disk.executor.commands.filter { $0 != "other" }.sorted() == ["done", "hung", "hung", "long", "long", "next"])
    #expect(try disk.host.history.run(id) == resumed.run)
    #expect(try disk.states(of: id) == ["done", "long", "hung", "next"].map { "\($0) succeeded" })
    try await disk.host.close()
  }

  @Test("if the records of a nested run no longer fit, the runs around it are interrupted")
  func nested() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs]], by: .fast), .hold(bytes: 1))
    let pipeline = try disk.pipeline(
      "outer", "{ name: inside, pipeline: inner.yaml }, { name: next, needs: inside, run: next }",
      nested: ["inner.yaml": "name: inner\noperations: [{ name: long, run: long }]"])
    let outer = disk.start(pipeline)
    try await disk.executor.hangingCount.reaches(1)
    // Nothing else of them is written until the operation ends.
    var begun: [RunRecord] = []
    while try begun.count < 2 || begun.contains(where: { try disk.states(of: $0.id).isEmpty }) {
      await Task.yield()
      begun = try disk.host.history.runs(RunFilter(includesNested: true))
    }
    disk.fill()
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    _ = await disk.failure()
    await disk.release("long")
    disk.free()
    await disk.passSecond()
    let interrupted = try #require(await disk.recovery()?.interruptedRuns)
    let id = try #require(interrupted.first)
    #expect(interrupted == [id])
    await #expect(throws: EngineError.unrecorded(id)) { try await outer.task.value }
    _ = try await second.task.value
    let runs = try disk.host.history.runs(RunFilter(includesNested: true)).filter { $0.pipeline != "second" }
    #expect(Set(runs.map { "\($0.pipeline) \($0.state.rawValue)" }) == ["outer interrupted", "inner interrupted"])
    #expect(try await disk.host.resume(id).run.state == .succeeded)
    #expect(try disk.host.history.runs(RunFilter(includesNested: true)).count == 3)
    #expect(disk.executor.commands.filter { $0 != "other" } == ["long", "long", "next"])
    try await disk.host.close()
  }

  @Test("a host that ends nevertheless interrupts its runs, and reports what it could not write")
  func end() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs]], by: .fast), .holdUsual)
    let first = disk.start(try disk.pipeline("first", "{ name: long, run: long }"))
    try await disk.executor.hangingCount.reaches(1)
    disk.fill()
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    _ = await disk.failure()
    await disk.host.endHolding()
    for run in [first, second] {
      await #expect {
        try await run.task.value
      } throws: {
        if case .unrecorded? = $0 as? EngineError { true } else { $0 is WorkspaceError }
      }
    }
    #expect(disk.executor.commands == ["long"] && disk.executor.stops.count == 1)
    await #expect(throws: WorkspaceError.full(path: disk.host.history.workspace.path)) { try await disk.host.close() }
    disk.free()
  }

  @Test("an attempt without room for its logs waits for it if the host holds records, and otherwise fails the run")
  func logs() async throws {
    let fates: [String: [ScriptedExecutor.Fate]] = ["long": [.hasNoRoom, .hasNoRoom, .exits(0)]]
    let disk = try FullDisk(ScriptedExecutor(fates, by: .fast), .holdUsual)
    let run = disk.start(
      try disk.pipeline("first", "{ name: long, run: long }, { name: next, needs: long, run: next }"))
    // The database has room, but still nothing new begins.
    #expect(await disk.failure()?.error == .full(path: "1.out"))
    #expect(disk.host.writeFailure?.heldBytes == 0)
    let passing = Task {
      while await disk.delayer.begins() != nil {
        disk.clock.pass(.seconds(1))
        disk.delayer.endOne()
      }
    }
    #expect(await disk.recovery() != nil)
    passing.cancel()
    let outcome = try await run.task.value.run
    #expect(outcome.state == .succeeded)
    #expect(disk.executor.commands == ["long", "long", "long", "next"])
    #expect(try disk.host.history.attempts(of: outcome.id).map(\.number) == [1, 1])
    try await disk.host.close()

    let other = try FullDisk(ScriptedExecutor(fates, by: .fast), .cancel)
    let failing = other.start(try other.pipeline("first", "{ name: long, run: long }"))
    await #expect(throws: EngineError.file("1.out", ENOSPC)) { try await failing.task.value }
    try await other.host.close()
  }

  @Test("missing room for files is reported again each minute") func reminder() async throws {
    let fates: [String: [ScriptedExecutor.Fate]] = ["long": Array(repeating: .hasNoRoom, count: 100) + [.exits(0)]]
    let disk = try FullDisk(ScriptedExecutor(fates, by: .fast), .holdUsual)
    let run = disk.start(try disk.pipeline("first", "{ name: long, run: long }"))
    let failure = try #require(await disk.failure())
    #expect(failure.concernsFiles)
    let passing = Task {
      while await disk.delayer.begins() != nil {
        disk.clock.pass(.seconds(1))
        disk.delayer.endOne()
      }
    }
    #expect(await disk.failure()?.since == failure.since)
    #expect(await disk.recovery()?.concernsFiles == true)
    passing.cancel()
    #expect(try await run.task.value.run.state == .succeeded)
    try await disk.host.close()
  }

  @Test("an examination that fails for lack of descriptors is retried if the host holds records")
  func lookFailures() async throws {
    let disk = try FullDisk(ScriptedExecutor([:], by: .fast), .holdUsual)
    let tries = Mutex(0)
    let look: @Sendable () throws -> Int = {
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      guard number < 3 else { return number }
      LookFailures.note(EMFILE)
      throw EngineError.file("plugins.lock", EMFILE)
    }
    let writing = disk.host.services.writing
    async let found = writing.waitingOutLookFailures(look)
    for _ in 0..<2 {
      #expect(await disk.delayer.begins() == .seconds(1))
      disk.delayer.endOne()
    }
    #expect(try await found == 3)
    try await disk.host.close()

    let strict = try FullDisk(ScriptedExecutor([:], by: .fast), .cancel)
    tries.withLock { $0 = 0 }
    await #expect(throws: EngineError.file("plugins.lock", EMFILE)) {
      try await strict.host.services.writing.waitingOutLookFailures(look)
    }
    try await strict.host.close()
  }

  @Test("an operation without a descriptor waits alone if the host holds records, and otherwise fails the run")
  func descriptors() async throws {
    let refused = OperationFailure(EngineError.systemCall("starting '/bin/sh'", EMFILE))
    let fates: [String: [ScriptedExecutor.Fate]] = ["long": [.hasNoDescriptor, .ends(.refused(refused)), .exits(0)]]
    let disk = try FullDisk(ScriptedExecutor(fates, by: .fast), .holdUsual)
    let run = disk.start(
      try disk.pipeline("first", "{ name: long, run: long }, { name: next, needs: long, run: next }"))
    #expect(await disk.delayer.begins() == .seconds(1))
    // The history shows what it waits for, and afterwards not that it did.
    let why = "\(EngineError.file("1.out", EMFILE))"
    let waiting = try await recorded(in: disk.host.history) { $0.operationReason == .shortage(why) }
    #expect(try disk.host.history.heldUpOperations().map(\.reason) == [.shortage(why)])
    #expect(try disk.host.history.heldUpOperations().map(\.run) == [waiting.run])
    #expect(waiting.state == .running && waiting.reason == "shortage")
    // Others are not blocked. What they release is tried immediately, here without success.
    #expect(disk.host.writeFailure == nil)
    let other = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    #expect(try await other.task.value.run.state == .succeeded)
    #expect(await disk.delayer.begins() == .seconds(1))
    disk.delayer.endOne()
    let outcome = try await run.task.value.run
    #expect(try disk.host.history.heldUpOperations().isEmpty)
    #expect(try disk.host.history.operations(of: outcome.id).allSatisfy { $0.reason == nil })
    #expect(outcome.state == .succeeded)
    #expect(disk.executor.commands == ["long", "other", "long", "long", "next"])
    // One attempt, which began late; reported once a minute.
    #expect(try disk.host.history.attempts(of: outcome.id).map(\.number) == [1, 1])
    #expect(disk.shortages.withLock { $0 } == ["long: file"])
    try await disk.host.close()

    let strict = try FullDisk(ScriptedExecutor(fates, by: .fast), .cancel)
    let failing = strict.start(try strict.pipeline("first", "{ name: long, run: long }"))
    await #expect(throws: EngineError.file("1.out", EMFILE)) { try await failing.task.value }
    #expect(strict.shortages.withLock { $0 } == [])
    try await strict.host.close()
  }

  /// Returns the record of the operation `long` once it matches: states are recorded after 50 ms.
  private func recorded(in history: History, _ isWanted: (OperationRecord) -> Bool) async throws -> OperationRecord {
    while true {
      let runs = try history.runs(RunFilter(states: [.running]))
      let record = try runs.lazy.flatMap { try history.operations(of: $0.id) }.first { $0.name == "long" }
      if let record, isWanted(record) { return record }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test("a host that does not hold records cancels its runs")
  func cancel() async throws {
    let disk = try FullDisk(ScriptedExecutor(["long": [.hangs]], by: .fast), .cancel)
    let first = disk.start(try disk.pipeline("first", "{ name: long, run: long }"))
    try await disk.executor.hangingCount.reaches(1)
    disk.fill()
    let second = disk.start(try disk.pipeline("second", "{ name: other, run: other }"))
    for run in [first, second] { await #expect(throws: WorkspaceError.self) { try await run.task.value } }
    #expect(disk.executor.stops.count == 1 && disk.host.writeFailure == nil)
    disk.free()
    try await disk.host.close()
  }
}

extension FullDisk {
  fileprivate func first(of stream: AsyncStream<String>) async -> String? { await stream.first { _ in true } }
}
