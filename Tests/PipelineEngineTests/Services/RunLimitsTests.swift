import Testing

@testable import PipelineEngine

@Suite("Limits of a run") struct RunLimitsTests {
  @Test("provide what is free, and no more") func takes() {
    let limits = RunLimits(slots: 2, resources: [4])
    #expect(limits.take(.init(slots: 1, resources: [(0, 3)])))
    #expect(!limits.take(.init(slots: 1, resources: [(0, 2)])))
    #expect(limits.take(.init(slots: 1, resources: [(0, 1)])))
    #expect(!limits.take(.init(slots: 1, resources: [])))
    limits.release(.init(slots: 1, resources: [(0, 3)]))
    #expect(limits.take(.init(slots: 1, resources: [(0, 3)])))
  }

  @Test("are served first come, first served") func order() async throws {
    let loop = try EventLoop()
    try loop.start()
    #expect(await Contenders(loop).order() == ["large", "small"])
    loop.stop()
  }

  @Test("go to the next if the first has given up") func withdrawal() async throws {
    let loop = try EventLoop()
    try loop.start()
    #expect(await Contenders(loop).withdrawal() == ["small"])
    loop.stop()
  }

  /// A large demand comes first; the small one behind it would fit immediately, but must not overtake.
  private actor Contenders {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let limits = RunLimits(slots: 2, resources: [])
    private var served: [String] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func order() async -> [String] {
      _ = limits.take(.init(slots: 1, resources: []))
      await withDiscardingTaskGroup { group in
        group.addTask(executorPreference: loop) { await self.serve("large", 2) }
        while !limits.hasWaiters { await Task.yield() }
        group.addTask(executorPreference: loop) { await self.serve("small", 1) }
        await Task.yield()
        limits.release(.init(slots: 1, resources: []))
      }
      return served
    }

    /// The large one gives up, so that the small one behind it fits.
    func withdrawal() async -> [String] {
      _ = limits.take(.init(slots: 1, resources: []))
      let large = Task(executorPreference: loop) { await self.serve("large", 2) }
      while !limits.hasWaiters { await Task.yield() }
      let small = Task(executorPreference: loop) { await self.serve("small", 1) }
      await Task.yield()
      large.cancel()
      await large.value
      for _ in 0..<10 { await Task.yield() }
      // Ends the test if it has not been served.
      small.cancel()
      await small.value
      return served
    }

    private func serve(_ name: String, _ slots: Int) async {
      let demand = RunLimits.Demand(slots: slots, resources: [])
      if !limits.take(demand) { guard await limits.wait(for: demand, on: loop) else { return } }
      served.append(name)
      limits.release(demand)
    }
  }
}
