import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("Transitions of states")
struct TransitionTests {
  @Test("operations change states only as the table allows")
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

  @Test("runs change states only as the table allows")
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

  @Test("a final state never changes", arguments: OperationState.allCases)
  func final(_ state: OperationState) {
    #expect(state.isFinal == !OperationState.allCases.contains(where: state.mayBecome))
  }

  @Test("an operation that waits between two attempts keeps the failure of the first until the next begins")
  func failureBetween() throws {
    var instance = try Self.instance()
    let failure = OperationFailure(code: "exit", message: "exited with code 1", exitCode: 1)
    #expect(Self.move(&instance, to: .running()))
    #expect(Self.move(&instance, to: .retrying(OperationReason.Retry(attempt: 1), after: failure)))
    #expect(instance.failure == failure)
    #expect(Self.move(&instance, to: .waiting(.concurrency)))
    #expect(instance.failure == failure)
    #expect(instance.reason == .concurrency)
    #expect(Self.move(&instance, to: .running()))
    #expect(instance.failure == nil)
  }

  @Test("an operation that ends without success has no result, except a loop whose failure is allowed")
  func results() throws {
    var instance = try Self.instance()
    #expect(Self.move(&instance, to: .running()))
    instance.latest = SettledResult(result: .value(1), recorded: .inline("1"))
    #expect(instance.recordedResult == .inline("1"))
    var loop = instance
    #expect(Self.move(&instance, to: .failed(OperationFailure(code: "exit", message: ""))))
    #expect(!instance.result.isPresent)
    #expect(instance.recordedResult == .none)
    let partial = SettledResult(result: .value(.array([1])), recorded: .inline("[1]"))
    #expect(Self.move(&loop, to: .failed(OperationFailure(code: "items-failed", message: ""), partial: partial)))
    #expect(loop.recordedResult == .inline("[1]"))
  }

  @Test("a transition that the table does not allow changes nothing")
  func impossible() throws {
    var instance = try Self.instance()
    #expect(Self.move(&instance, to: .skipped(.notSelected)))
    #expect(!Self.move(&instance, to: .running()))
    #expect(instance.state == .skipped)
    #expect(instance.reason == .notSelected)
  }

  // The macro does not allow mutation.
  private static func move(_ instance: inout OperationInstance, to status: InstanceStatus) -> Bool {
    instance.move(to: status)
  }

  private static func instance() throws -> OperationInstance {
    let loaded = PipelineLoader.load(text: "operations: [{ name: a, value: 1 }]", path: "/p/a.yaml")
    let pipeline = try #require(loaded.pipeline)
    return OperationInstance(node: OperationNode(pipeline.operations, at: 0) { $0.runnable }, name: "a")
  }

  @Test("a run in which the engine was about to make an impossible transition fails as engine-failed")
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

  @Test("so does a run that is being cancelled")
  func rejectedWhileCancelled() async throws {
    let host = try EngineTestHost()
    let engine = try host.engine("operations: [{ name: a, value: 1 }]")
    await engine.cancel(.requested, by: nil)
    await engine.fail(with: EngineError.impossibleTransition("'a' from succeeded to running"))
    await #expect(throws: EngineError.self) { _ = try await host.run(engine) }
    let run = try #require(try host.services.history.run(engine.id))
    #expect(run.state == .failed)
    #expect(run.reason == "engine-failed")
    await host.close()
  }

  @Test("an impossible transition stops a debug build")
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
  fileprivate func reenter(_ ordinal: Int) { run.recorder.enter(ordinal, .running()) }
}
