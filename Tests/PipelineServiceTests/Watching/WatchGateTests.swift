import Testing

@testable import PipelineService

@Suite("The gate for runs of a watched pipeline") struct WatchGateTests {
  private let log = WatchLog()

  private func gate() -> WatchGate { WatchGate(observer: log) {} }

  @Test("The observer does not idle during a run, nor twice")
  func idling() async throws {
    let gate = gate()
    #expect(try await gate.idle())
    #expect(try await !gate.idle())
    try await gate.runBegins()
    #expect(try await !gate.idle())
    await gate.runEnded()
    #expect(try await gate.idle())
  }

  @Test("It closes only while no run is active, and then lets none begin")
  func closing() async throws {
    let gate = gate()
    try await gate.runBegins()
    #expect(await !gate.close())
    await gate.runEnded()
    #expect(await gate.close())
    await #expect(throws: CancellationError.self) { try await gate.runBegins() }
  }

  @Test("A run that begins first ends the idling")
  func endOfIdling() async throws {
    let gate = gate()
    _ = try await gate.idle()
    #expect(log.isIdle)
    try await gate.runBegins()
    #expect(!log.isIdle)
    await gate.runEnded()
    _ = try await gate.idle()
    _ = await gate.close()
    #expect(!log.isIdle)
  }
}
