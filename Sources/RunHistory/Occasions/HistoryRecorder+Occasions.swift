import SQLite
import Workspace

extension HistoryRecorder {
  /// Records an occasion together with its queued run, or with the reason why there is none. Durable when it returns. `onLate` is called with queued
  /// runs that are skipped because their time to begin has passed.
  package nonisolated(nonsending) func admit(
    _ request: OccasionRequest, onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> Admission {
    try await admit([request], onLate: onLate)[0]
  }

  /// Records several occasions in one transaction.
  package nonisolated(nonsending) func admit(
    _ requests: [OccasionRequest], onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> [Admission] {
    let (admissions, late) = try await perform(
      changing: { OccasionLedger.types(of: Array(zip(requests, $0.0)), late: $0.1) }
    ) { db -> ([Admission], [LateRun]) in
      var late: [LateRun] = []
      let admissions = try requests.map { try OccasionLedger.admit($0, leavingOut: &late, in: db) }
      return (admissions, late)
    }
    if !late.isEmpty { onLate(late) }
    return admissions
  }

  /// Records an occasion together with its run, which this process begins now. Durable when it returns. Returns nil if its instant is already
  /// known, or may have been.
  package nonisolated(nonsending) func begin(_ occasion: Occasion, _ run: QueuedRun) async throws -> RunRecord? {
    let statements = statements
    let isNew = try await perform(
      changing: { $0 ? [StoredRun.self, StoredOccasion.self] : [StoredOccasion.self] as ChangedTypes }
    ) { db in
      guard let number = try OccasionLedger.begin(occasion, run, by: .current, in: db) else { return false }
      statements.adopt(run.record, number: number)
      return true
    }
    guard isNew else { return nil }
    var record = run.record
    record.owner = .current
    return record
  }

  /// Records that an instant of a pipeline has a run, which the caller is about to start. Durable when it returns. Returns false if the instant was already
  /// known, or, if a controller requested the run, may have been.
  package nonisolated(nonsending) func claim(
    _ instant: RecordTime, of pipeline: String, by controller: String? = nil, at time: RecordTime
  ) async throws -> Bool {
    try await perform(changing: { _ in [StoredOccasion.self] }) {
      try OccasionLedger.claim(instant, of: pipeline, by: controller, at: time, in: $0)
    }
  }
}

extension HistoryRecorder {
  /// Skips queued runs whose time to begin has passed, and returns them. Durable when it returns.
  package nonisolated(nonsending) func leaveOutLate(at time: RecordTime) async throws -> [LateRun] {
    try await perform(changing: { OccasionLedger.types(of: [], late: $0) }) {
      try OccasionLedger.leaveOutLate(at: time, in: $0)
    }
  }

  /// Claims the queued runs that are next for this process. Durable when it returns. Runs whose time to begin has passed are skipped first.
  ///
  /// - Parameters:
  ///   - places: How many may begin.
  ///   - held: Pipelines of which no run may begin.
  ///   - single: Pipelines of which at most one run may begin.
  ///   - host: The name of this computer.
  ///   - time: The current time.
  ///   - onLate: Called with the runs that are skipped, once that is durable. Default: does nothing.
  /// - Returns: The runs, in the order in which they are to begin.
  /// - Throws: The error that prevents the history from being written.
  package nonisolated(nonsending) func takeQueued(
    _ places: QueueTurns.Places, held: Set<String>, single: Set<String>, host: String, at time: RecordTime,
    onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> [QueueTurns.Taken] {
    let statements = statements
    // If nothing is claimed, no change is reported; otherwise a host that follows changes would check again endlessly.
    let (taken, late) = try await perform(
      changing: { (taken, late) in
        if !late.isEmpty { return [StoredRun.self, StoredOccasion.self, StoredQueueEntry.self] }
        var types: ChangedTypes = taken.isEmpty ? [] : [StoredOccasion.self, StoredQueueEntry.self]
        if !taken.isEmpty { types.insertUngrouped(StoredRun.self) }
        return types
      }
    ) { db -> ([QueueTurns.Taken], [LateRun]) in
      let late = try OccasionLedger.leaveOutLate(at: time, in: db)
      var (turns, begun) = (QueueTurns(of: StoredQueue(db: db, time: time)), held)
      let chosen = try turns.take(places, except: { begun.contains($0) }) { run in
        if single.contains(run.pipeline) { begun.insert(run.pipeline) }
      }
      let taken = try QueueEntries.own(chosen, by: .current, on: host, in: db)
      for entry in taken { statements.adopt(entry.run, number: entry.number) }
      return (taken, late)
    }
    onLate(late)
    return taken
  }
}
