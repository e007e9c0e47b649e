import Operations
import OperationsTesting
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("The health of a controller") struct ControllerHealthTests {
  private let clock = TestClock()
  private let told = Log<ControllerTrouble?>()

  private func trouble(_ reason: String, isOver: Bool = false) -> ControllerTrouble {
    ControllerTrouble(
      controller: "ticks", reason: reason, since: RecordTime(microseconds: 1_000_000_000_000_000), isOver: isOver)
  }

  private func check(_ body: (ControllerHealth) async throws -> Void) async throws {
    let host = try EngineTestHost(clock: clock)
    try await body(ControllerHealth(of: "ticks", host.services) { [told] in told.append($0) })
    await host.close()
  }

  @Test("is bad from the first failure until it has worked for a minute") func recovery() async throws {
    try await check { health in
      health.begins()
      #expect(told.elements.isEmpty)
      health.failed(because: "it crashed", isOver: false)
      health.begins()
      await clock.hasDelays(1)
      clock.advance(by: .seconds(59))
      health.failed(because: "it hangs", isOver: false)
      health.begins()
      await clock.hasDelays(1)
      clock.advance(by: .seconds(59))
      #expect(told.elements == [trouble("it crashed"), trouble("it hangs")])
      while told.elements.count < 3 {
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
      #expect(told.elements.last == .some(nil))
    }
  }

  @Test("includes whether the controller is started again") func over() async throws {
    try await check { health in
      health.failed(because: "its settings are wrong", isOver: true)
      health.begins()
      #expect(
        told.elements == [trouble("its settings are wrong", isOver: true), trouble("its settings are wrong")])
    }
  }
}
