import RunHistory
import Workspace

extension RunHost {
  /// Acquires a name of the workspace that one process may hold at a time, without waiting for it. It is released when the process ends.
  package func lease(_ name: String, holder: String) async throws -> LeaseOutcome {
    let now = services.now().microseconds
    return try await services.recorder.perform { try Leases.acquire(name, holder: holder, at: now, in: $0) }
  }

  /// Releases a name.
  package func release(_ lease: Lease) async throws {
    _ = try await services.recorder.perform { try Leases.release(lease.name, fence: lease.fence, in: $0) }
    history.workspace.announce()
  }

  /// Records that an instant has a run, so that no controller starts another one. Returns false if that was already recorded.
  @discardableResult
  package func noteRun(for instant: RecordTime, of pipeline: String) async throws -> Bool {
    try await services.recorder.claim(instant, of: pipeline, at: services.now())
  }
}
