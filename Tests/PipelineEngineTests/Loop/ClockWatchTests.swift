import Glibc
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("A watch of the wall clock", .timeLimit(.minutes(1)))
struct ClockWatchTests {
  private final class Bench: Sendable {
    let clock = SettableClock()
    let loop: EventLoop
    let told = Mutex<[Duration]>([])

    init() throws {
      loop = try EventLoop()
      try loop.start()
    }

    deinit { loop.stop() }

    func watch() -> ClockWatch {
      ClockWatch(HostClock(clock), on: loop) { [weak self] setting in
        self?.told.withLock { $0.append(setting.change) }
      }
    }
  }

  @Test("reports by how much the clock was set, once")
  func settings() throws {
    let bench = try Bench()
    let watch = bench.watch()
    for change in [Duration.seconds(3600), .seconds(-86_400), .seconds(-2)] {
      bench.clock.set(by: change)
      for _ in 0..<3 { watch.look() }
    }
    #expect(bench.told.withLock { $0 } == [.seconds(3600), .seconds(-86_400), .seconds(-2)])
  }

  @Test("reports nothing while time passes")
  func passing() throws {
    let bench = try Bench()
    let watch = bench.watch()
    for _ in 0..<5 {
      bench.clock.pass(.seconds(86_400))
      watch.look()
    }
    #expect(bench.told.withLock { $0 } == [])
  }

  @Test("reports small corrections when they have added up")
  func corrections() throws {
    let bench = try Bench()
    let watch = bench.watch()
    for _ in 0..<5 {
      bench.clock.set(by: .milliseconds(500))
      watch.look()
    }
    #expect(bench.told.withLock { $0 } == [.seconds(2)])
  }

  @Test("closes its timer when it is released")
  func end() async throws {
    let bench = try Bench()
    let loop = bench.loop
    func descriptors() async -> Int { await Task(executorPreference: loop) { loop.waits.descriptors }.value }
    var watch: ClockWatch? = bench.watch()
    #expect(await descriptors() == 1)
    withExtendedLifetime(watch) {}
    watch = nil
    #expect(await descriptors() == 0)
  }
}
