import Testing

@testable import PipelineService

@Suite("What lets the runs of a watched pipeline begin") struct WatchGateTests {
  private let log = WatchLog()

  private func gate() -> WatchGate { WatchGate(observer: log) {} }

  @Test("Nobody idles while a run goes on, nor twice")
  func idling() async throws {
    let gate = gate()
    #expect(try await gate.idle())
    #expect(try await !gate.idle())
    try await gate.runBegins()
    #expect(try await !gate.idle())
    await gate.runEnded()
    #expect(try await gate.idle())
  }

  @Test("It closes only while no run goes on, and lets none begin then")
  func closing() async throws {
    let gate = gate()
    try await gate.runBegins()
    #expect(await !gate.close())
    await gate.runEnded()
    #expect(await gate.close())
    await #expect(throws: CancellationError.self) { try await gate.runBegins() }
  }

  @Test("A run that begins ends the idling first")
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
