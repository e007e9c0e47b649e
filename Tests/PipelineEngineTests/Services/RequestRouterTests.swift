import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Requests to the runs of a host", .timeLimit(.minutes(1))) struct RequestRouterTests {
  @Test("reach a run that is added after all others have ended") func again() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor())
    let record = await (try host.engine("operations: [{ name: a, value: 1 }]")).record
    host.services.recorder.record(.runCreated(record, definition: ""))
    try await host.services.recorder.flush()
    let (requests, request) = AsyncStream<RunRequest>.makeStream()
    await Task(executorPreference: host.loop) {
      let router = host.services.requests
      for run in [RunID.generate(), record.id] {
        router.add(
          run,
          RequestRouter.Listener(
            fence: { record.fence }, onRequest: { request.yield($0.kind) }, questions: { [] }, onAnswers: { _ in }))
        if run != record.id { router.remove(run) }
      }
      #expect(router.listenerCount == 1)
    }.value
    try host.services.history.request(.cancel, of: record.id)
    for await request in requests {
      #expect(request == .cancel)
      break
    }
    await Task(executorPreference: host.loop) { host.services.requests.remove(record.id) }.value
    await host.close()
  }
}

extension RunEngine {
  /// The record of the run.
  fileprivate var record: RunRecord { run.recorder.run }
}
