/// Starts jobs at an executor, combining all that are requested in one iteration of the event loop: a cluster accepts a thousand jobs as readily as
/// one. *On the event loop.*
final class JobStarts: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  private struct Entry {
    let job: Job
    let continuation: CheckedContinuation<JobStart, Never>
  }

  private let executor: any Executor
  private let loop: EventLoop
  private var waiting: [Entry] = []

  init(_ executor: any Executor, loop: EventLoop) {
    self.executor = executor
    self.loop = loop
  }

  /// Starts a job, and returns the outcome.
  func start(_ job: Job, isolation: isolated (any Actor)? = #isolation) async -> JobStart {
    await withCheckedContinuation(isolation: isolation) { continuation in
      waiting.append(Entry(job: job, continuation: continuation))
      guard waiting.count == 1 else { return }
      loop.execute { [self] in
        Task(executorPreference: self.loop) { await self.startAll() }
      }
    }
  }

  private nonisolated(nonsending) func startAll() async {
    let entries = waiting
    waiting = []
    let starts = await executor.start(entries.map(\.job))
    for (index, entry) in entries.enumerated() {
      // If an executor answers for fewer jobs than it was given, the others are open.
      let handle = JobHandle(job: entry.job.id, name: .open)
      entry.continuation.resume(returning: index < starts.count ? starts[index] : .open(handle))
    }
  }
}
