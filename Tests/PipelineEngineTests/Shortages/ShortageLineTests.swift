import Glibc
import OperationsTesting
import Synchronization
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Attempts that lack a descriptor") struct ShortageLineTests {
  private static let error = EngineError.systemCall("starting '/bin/true'", EMFILE)

  /// A queue on the event loop of a host, with a stopped clock and delays that the test ends.
  private final class Bench: @unchecked Sendable {
    // @unchecked: accessed only on the event loop, except for what is behind a lock.

    let test: EngineTestHost
    let delayer = ManualDelayer()
    let clock = SettableClock()
    let line: ShortageLine
    let told = Mutex<[Int]>([])
    private let sink = Sink()
    var spares = 0
    var order: [String] = []

    private final class Sink: Sendable { let body = Mutex<(@Sendable (Int) -> Void)?>(nil) }

    init() throws {
      test = try EngineTestHost()
      line = ShortageLine(loop: test.loop, time: HostClock(clock), delayer: delayer) { [sink] shortage in
        sink.body.withLock { $0 }?(shortage.others)
      }
      sink.body.withLock { $0 = { [weak self] others in self?.told.withLock { $0.append(others) } } }
      line.giveBackSpares = { [weak self] in self?.spares += 1 }
    }

    /// Begins to wait; the name is added to ``order`` when it is to be retried.
    func wait(_ name: String, in place: ShortageLine.Place) -> Task<Void, any Error> {
      let (bench, place) = (LoopBound(self), LoopBound(place))
      return Task.immediate(executorPreference: test.loop) {
        try await bench.value.line.wait(in: place.value, for: ShortageLineTests.error)
        bench.value.order.append(name)
      }
    }

    func onLoop(_ body: @escaping @Sendable (Bench) async throws -> Void) async throws {
      try await Task(executorPreference: test.loop) { try await body(self) }.value
    }
  }

  @Test("are retried one after another, the first one each second and when something is released") func order()
    async throws
  {
    try await Bench().onLoop { bench in
      let (first, second) = (ShortageLine.Place(), ShortageLine.Place())
      let one = bench.wait("first", in: first)
      let two = bench.wait("second", in: second)
      #expect(!bench.line.isEmpty && first.isInLine && bench.spares == 2)
      #expect(await bench.delayer.begins() == .seconds(1))
      bench.delayer.endOne()
      try await one.value
      #expect(bench.order == ["first"])
      // The retry failed: it stays before the other one.
      let again = bench.wait("first again", in: first)
      bench.line.noticeGivenBack()
      try await again.value
      #expect(bench.order == ["first", "first again"])
      bench.line.leave(first)
      try await two.value
      #expect(bench.order == ["first", "first again", "second"])
      bench.line.leave(second)
      bench.line.leave(second)
      #expect(bench.line.isEmpty)
    }
  }

  @Test("leave the queue when they are cancelled") func cancelled() async throws {
    try await Bench().onLoop { bench in
      let (first, second) = (ShortageLine.Place(), ShortageLine.Place())
      let one = bench.wait("first", in: first)
      let two = bench.wait("second", in: second)
      one.cancel()
      await #expect(throws: CancellationError.self) { try await one.value }
      bench.line.leave(first)
      try await two.value
      bench.line.leave(second)
      #expect(bench.order == ["second"])
    }
  }

  @Test("are overtaken by later ones until the first one has waited for long") func patience() async throws {
    try await Bench().onLoop { bench in
      let place = ShortageLine.Place()
      #expect(!bench.line.isForAll)
      let wait = bench.wait("first", in: place)
      bench.clock.pass(.seconds(9))
      #expect(!bench.line.isForAll)
      bench.clock.pass(.seconds(1))
      #expect(bench.line.isForAll)
      #expect(bench.line.error("starting '/bin/true'") == Self.error)
      bench.line.noticeGivenBack()
      try await wait.value
      bench.line.leave(place)
      #expect(!bench.line.isForAll)
    }
  }

  @Test("are reported once a minute, with their number") func telling() async throws {
    try await Bench().onLoop { bench in
      let shortage = ResourceShortage(run: .generate(), pipeline: "one", error: Self.error)
      bench.line.tell(of: shortage)
      let places = (0..<3).map { _ in ShortageLine.Place() }
      let waits = places.map { bench.wait("one", in: $0) }
      bench.clock.pass(.seconds(59))
      bench.line.tell(of: shortage)
      bench.clock.pass(.seconds(1))
      bench.line.tell(of: shortage)
      #expect(bench.told.withLock { $0 } == [0, 2])
      for wait in waits { wait.cancel() }
      for place in places { bench.line.leave(place) }
    }
  }
}
