import Foundation
import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

@Suite("Processes of a former host", .timeLimit(.minutes(1)))
struct FormerProcessesTests {
  /// Performs every delay immediately.
  private struct NoTime: LoopAlarms {
    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
      let call = Task { body() }
      return { call.cancel() }
    }
  }

  /// Scans with an unreadable history, until `mayWait` pauses are over. Returns the outcome and the number of requested pauses.
  private func look(isPatient: Bool, mayWait: Int) async throws -> (LeftoverProcesses.Outcome, pauses: Int) {
    let directory = NSTemporaryDirectory() + "penstock-former-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let history = try History.open(at: directory, mode: .readWrite)
    history.workspace.close()
    let loop = try EventLoop(alarms: NoTime())
    try loop.start()
    defer { loop.stop() }
    let processes = FormerProcesses(history: history, delayer: LoopDelayer(loop: loop), isPatient: isPatient)
    var pauses = 0
    let outcome = await processes.end(of: .generate(), host: .current, isolation: nil, if: { true }) {
      pauses += 1
      return pauses <= mayWait
    }
    return (outcome, pauses)
  }

  @Test("are searched for again each second by a patient host, as long as it may wait")
  func patient() async throws {
    let (outcome, pauses) = try await look(isPatient: true, mayWait: 5)
    #expect(outcome.couldNotLook)
    #expect(pauses == 6)
  }

  @Test("are searched for a few times by other hosts")
  func impatient() async throws {
    let (outcome, pauses) = try await look(isPatient: false, mayWait: 5)
    #expect(outcome.couldNotLook)
    #expect(pauses == 0)
  }
}
