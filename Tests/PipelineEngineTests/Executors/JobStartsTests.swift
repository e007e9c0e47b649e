import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Starts of jobs") struct JobStartsTests {
  @Test("that their executor did not answer for are open, rather than certainly not begun") func unanswered()
    async throws
  {
    let loop = try EventLoop()
    try loop.start()
    let executor = BriefExecutor()
    let starts = JobStarts(executor, loop: loop)
    let run = RunID.generate()
    let jobs = LoopBound(
      (0..<3).map { ordinal in
        Job(
          id: JobID(run: run, ordinal: ordinal, attempt: 1), operation: "a", arguments: ["x"],
          environment: AttemptEnvironment(RunEnvironment(.inherited())), directory: nil, input: .none, masker: nil,
          grace: .zero, files: LogFilePool(workspace: "/nowhere", relative: "runs"))
      })
    // All are requested in one iteration of the event loop.
    let told = await Task(executorPreference: loop) {
      await withTaskGroup(of: (Int, String).self) { group in
        for index in 0..<3 {
          group.addTask(executorPreference: loop) {
            switch await starts.start(jobs.value[index]) {
            case .begun(let handle): (index, "begun \(handle.name)")
            case .open(let handle): (index, "open \(handle.job.ordinal)")
            case .refused, .notBegun: (index, "not begun")
            }
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }.value
    #expect(told == [0: #"begun text("first")"#, 1: "open 1", 2: "open 2"])
    loop.stop()
  }

  /// Answers only for the first of its jobs.
  private final class BriefExecutor: Executor {
    let name = "brief"
    let keepsHandles = true
    let usesThisMachine = true
    nonisolated(nonsending) func start(_ jobs: [Job]) async -> [JobStart] {
      jobs.prefix(1).map { .begun(JobHandle(job: $0.id, name: .text("first"))) }
    }
    nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd { JobEnd(cause: .exited(0)) }
    func stop(_ handles: [JobHandle], grace: Duration) {}
    nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery { .running(handle) }
  }
}
