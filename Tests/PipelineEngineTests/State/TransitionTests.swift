import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Transitions of states")
struct TransitionTests {
  @Test("operations go from state to state as the table says")
  func operations() {
    let table = OperationState.allCases.map { state in
      "\(state): " + OperationState.allCases.filter(state.mayBecome).map(\.rawValue).joined(separator: " ")
    }
    #expect(
      table == [
        "pending: waiting running retrying failed cancelled skipped reused",
        "waiting: waiting running retrying succeeded failed cancelled skipped",
        "running: waiting running retrying succeeded failed cancelled",
        "retrying: waiting running retrying failed cancelled",
        "succeeded: ", "failed: ", "cancelled: ", "skipped: ", "reused: ",
      ])
  }

  @Test("runs go from state to state as the table says")
  func runs() {
    let table = RunState.allCases.map { state in
      "\(state): " + RunState.allCases.filter(state.mayBecome).map(\.rawValue).joined(separator: " ")
    }
    #expect(
      table == [
        "queued: running failed cancelled interrupted", "running: succeeded failed cancelled interrupted",
        "succeeded: ", "failed: ", "cancelled: ", "interrupted: running",
      ])
  }

  @Test("what has ended stays as it is", arguments: OperationState.allCases)
  func final(_ state: OperationState) {
    #expect(state.isFinal == !OperationState.allCases.contains(where: state.mayBecome))
  }

  @Test("a run in which the engine was about to make an impossible one fails as engine-failed")
  func rejected() async throws {
    let host = try EngineTestHost()
    let engine = try host.engine("operations: [{ name: a, value: 1 }]")
    await engine.fail(with: EngineError.impossibleTransition("'a' from succeeded to running"))
    await #expect(throws: EngineError.impossibleTransition("'a' from succeeded to running")) {
      _ = try await host.run(engine)
    }
    let run = try #require(try host.services.history.run(engine.id))
    #expect(run.state == .failed)
    #expect(run.reason == "engine-failed")
    await host.close()
  }

  @Test("an impossible one stops a debug build")
  func stops() async {
    await #expect(processExitsWith: .failure) {
      let host = try EngineTestHost()
      let engine = try host.engine("operations: [{ name: a, value: 1 }]")
      _ = try await host.run(engine)
      await engine.reenter(0)
    }
  }
}

extension RunEngine {
  fileprivate func reenter(_ ordinal: Int) { run.recorder.enter(ordinal, .running) }
}
