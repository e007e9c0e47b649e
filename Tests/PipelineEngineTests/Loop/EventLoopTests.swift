import Glibc
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("The event loop") struct EventLoopTests {
  private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var events: [String] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func note(_ event: String) { events.append(event) }

    /// Timers fire in the order in which they are due, whatever the order in which they were set.
    func timers() async {
      await withCheckedContinuation { continuation in
        _ = loop.schedule(after: .milliseconds(20)) { [unowned self] in
          assumeIsolated { $0.events.append("late") }
          continuation.resume()
        }
        _ = loop.schedule(after: .milliseconds(1)) { [unowned self] in assumeIsolated { $0.events.append("early") } }
        let cancelled = loop.schedule(after: .milliseconds(5)) { [unowned self] in
          assumeIsolated { $0.events.append("never") }
        }
        loop.cancelTimer(cancelled)
      }
    }

    func readable(_ descriptor: Int32) async throws {
      nonisolated(unsafe) var token: EventLoop.Token?
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        token = try? loop.watch(descriptor) { [unowned self] in
          assumeIsolated { engine in
            if let known = token { engine.loop.unwatch(known) }
          }
          continuation.resume()
        }
      }
    }

    func isOnLoop() -> Bool { loop.isOnLoop }

    func delay(_ duration: Duration, began: AsyncStream<Void>.Continuation) async throws {
      began.yield()
      try await LoopDelayer(loop: loop).delay(for: duration)
    }
  }

  private func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop()
    try loop.start()
    try await body(loop)
    loop.stop()
  }

  @Test("runs actors and tasks that use it as executor on its own thread") func isolation() async throws {
    try await withLoop { loop in
      #expect(await Counter(loop).isOnLoop())
      #expect(await Task(executorPreference: loop) { loop.isOnLoop }.value)
      #expect(!loop.isOnLoop)
    }
  }

  @Test("fires timers in the order they are due, and never cancelled ones") func timers() async throws {
    try await withLoop { loop in
      let counter = Counter(loop)
      await counter.timers()
      #expect(await counter.events == ["early", "late"])
    }
  }

  @Test("releases what waited for a time, once it has ended") func dropsWaits() async throws {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let (loop, object) = (try EventLoop(), Held())
      held = object
      try loop.start()
      await withCheckedContinuation { continuation in
        loop.execute {
          // As closures that wait usually retain the event loop.
          _ = loop.schedule(after: .seconds(3600)) { withExtendedLifetime((loop, object)) {} }
          continuation.resume()
        }
      }
      loop.stop()
    }
    for _ in 0..<5000 where held != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(held == nil)
  }

  @Test("reports when a descriptor becomes readable") func descriptors() async throws {
    try await withLoop { loop in
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (readEnd, writeEnd) = (ends[0], ends[1])
      async let done: Void = Counter(loop).readable(readEnd)
      _ = write(writeEnd, "x", 1)
      try await done
      close(readEnd)
      close(writeEnd)
    }
  }

  @Test("ends a delay immediately when its task is cancelled", .timeLimit(.minutes(1))) func cancelsDelays()
    async throws
  {
    try await withLoop { loop in
      let counter = Counter(loop)
      let (begun, began) = AsyncStream<Void>.makeStream()
      let task = Task { try await counter.delay(.seconds(3600), began: began) }
      for await _ in begun { break }
      // The actor runs this only once the delay has suspended.
      await counter.note("delayed")
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // Its timer was removed with it.
      #expect(await Task(executorPreference: loop) { loop.waits.timers }.value == 0)
    }
  }

  @Test("ends a delay when it ends, and begins none afterwards", .timeLimit(.minutes(1))) func endsDelays() async throws
  {
    let loop = try EventLoop()
    try loop.start()
    let task = Task { try await LoopDelayer(loop: loop).delay(for: .seconds(3600)) }
    while await Task(executorPreference: loop, operation: { loop.waits.timers }).value == 0 { await Task.yield() }
    loop.stop()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await LoopDelayer(loop: loop).delay(for: .zero) }
  }

  @Test("runs what is added after its end, one after another", .timeLimit(.minutes(1))) func late() async throws {
    let loop = try EventLoop()
    try loop.start()
    let counter = Counter(loop)
    loop.stop()
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          for _ in 0..<10 { await counter.note("late") }
          #expect(await Task(executorPreference: loop) { loop.isOnLoop }.value)
        }
      }
    }
    #expect(await counter.events.count == 1000)
  }

  @Test("survives many additions from other threads") func handOvers() async throws {
    try await withLoop { loop in
      let counter = Counter(loop)
      await withDiscardingTaskGroup { group in
        for index in 0..<2_000 { group.addTask { await counter.note("\(index)") } }
      }
      #expect(await Set(counter.events).count == 2_000)
    }
  }

  @Test(
    "does not wait for a timer that came due since the last check, and never indefinitely",
    arguments: [
      (Duration.zero, 0), (.milliseconds(-1), 0), (.milliseconds(-500), 0), (.seconds(-3), 0), (.nanoseconds(-1), 0),
      (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2), (.seconds(2), 2000),
      (.seconds(5_000_000), 1_000_000_000),
    ] as [(Duration, Int32)])
  func epollTimeout(_ duration: Duration, _ milliseconds: Int32) {
    #expect(EventLoop.milliseconds(duration) == milliseconds)
  }

  @Test("runs urgent jobs before earlier ones") func urgency() async throws {
    let loop = try EventLoop()
    try loop.start()
    let (order, sink) = AsyncStream<String>.makeStream()
    loop.execute {
      Task(executorPreference: loop) {
        sink.yield("ordinary")
        sink.finish()
      }
      loop.urgently { _ = Task(executorPreference: loop) { sink.yield("urgent") } }
    }
    var seen: [String] = []
    for await name in order { seen.append(name) }
    #expect(seen == ["urgent", "ordinary"])
    loop.stop()
  }

  @Test("handles threads, timers and descriptors despite a task that yields repeatedly")
  func fairness() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    #expect(write(writeEnd, "x", 1) == 1)
    try await withLoop { loop in
      let heard = Mutex<Set<String>>([])
      await Task(executorPreference: loop) {
        loop.execute { _ = heard.withLock { $0.insert("thread") } }
        _ = loop.schedule(after: .zero) { _ = heard.withLock { $0.insert("timer") } }
        _ = try? loop.watch(readEnd, once: true) { _ = heard.withLock { $0.insert("descriptor") } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(heard.withLock { $0 } == ["thread", "timer", "descriptor"])
      }.value
    }
    close(readEnd)
    close(writeEnd)
  }

  @Test("performs deferred work when there is nothing else to do, at the latest when it ends") func idleness()
    async throws
  {
    let loop = try EventLoop()
    try loop.start()
    let (order, sink) = AsyncStream<String>.makeStream()
    loop.execute {
      loop.whenIdle { sink.yield("idle") }
      Task(executorPreference: loop) {
        sink.yield("job")
        // What is added in the meantime is done first, too.
        Task(executorPreference: loop) { sink.yield("job of the job") }
      }
    }
    var seen: [String] = []
    for await name in order {
      seen.append(name)
      if seen.count == 3 { break }
    }
    #expect(seen == ["job", "job of the job", "idle"])
    let (last, end) = AsyncStream<String>.makeStream()
    loop.execute {
      loop.whenIdle {
        end.yield("at the end")
        end.finish()
      }
      loop.stop()
    }
    var atEnd: [String] = []
    for await name in last { atEnd.append(name) }
    #expect(atEnd == ["at the end"])
  }

  @Test("defers no more than it can hold") func putOff() async throws {
    try await withLoop { loop in
      let done = Mutex(0)
      let early = await withCheckedContinuation { continuation in
        loop.execute {
          for _ in 0..<100 { loop.whenIdle { done.withLock { $0 += 1 } } }
          continuation.resume(returning: done.withLock { $0 })
        }
      }
      #expect(early == 84)
    }
  }
}
