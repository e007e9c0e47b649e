import Glibc
import OperatingSystem
import RunHistory
import Workspace

/// Attempts that a former host had begun without recording them: it records them only once they have lasted for a while, or have ended, and was killed
/// before that.
extension RunRestoration {
  /// Returns these attempts, in the order of their numbers, as far as their processes had recorded themselves. They ended with their host. Items of loops
  /// are left out: an item that was never recorded begins anew.
  func unrecordedAttempts(besides recorded: [AttemptRecord]) -> [AttemptRecord] {
    let traces = ProcessRecords.read(of: run.id, in: run.services.history.workspace.directory)?.attempts ?? []
    guard !traces.isEmpty else { return [] }
    let known = Set(recorded.map { [$0.ordinal, $0.number] })
    let (now, sinceBoot) = (run.services.now(), SystemClock.nanoseconds(of: CLOCK_BOOTTIME))
    let found = traces.filter { $0.ordinal < run.state.instances.count && !known.contains([$0.ordinal, $0.number]) }
    return found.sorted { $0.number < $1.number }.map { trace in
      let began = now.advanced(by: (trace.began - sinceBoot) / 1000)
      var attempt = AttemptRecord(
        run: run.id, ordinal: trace.ordinal, number: trace.number, state: .failed,
        startedAt: max(began, run.recorder.run.createdAt))
      attempt.error = .hostDied
      return attempt
    }
  }

  /// Records these attempts, so that their numbers are not used again.
  func record(_ unrecorded: [AttemptRecord]) {
    for attempt in unrecorded where !run.state.instances[attempt.ordinal].state.isFinal {
      run.state.modify(attempt.ordinal) { instance in
        instance.attempts = max(instance.attempts, attempt.number)
        instance.timing.startedAt = instance.timing.startedAt ?? attempt.startedAt
      }
      run.recorder.write(run.recorder.operationRecord(attempt.ordinal), with: attempt)
    }
  }
}
