import PipelineEngine
import PipelineLanguage
import RunHistory
import RunReports

/// Deletes the runs that the retention does not keep, and old occasions without a run: in the background, a bounded number at a time, at most once an hour, and when no run is active.
actor RetentionKeeper {
  /// The time between two deletions.
  private static let interval = Duration.seconds(3600)
  /// The time before the next part, or before checking again whether no run is active.
  private static let pause = Duration.seconds(60)
  /// How many times it checks for such a moment. A host that is never idle still deletes runs.
  private static let patience = 60
  /// The maximum number of runs deleted at a time.
  private static let batch = 1000

  private let host: RunHost
  private let log: HostLog
  private let isBusy: @Sendable () async -> Bool
  private var otherwise: PipelineDefinition.Retention?

  /// - Parameters:
  ///   - host: The host that owns the runs.
  ///   - log: The log for reports of deletions.
  ///   - otherwise: The retention of pipelines without their own.
  ///   - isBusy: Returns whether runs are active.
  init(
    host: RunHost, log: HostLog, otherwise: PipelineDefinition.Retention?, isBusy: @escaping @Sendable () async -> Bool
  ) {
    self.host = host
    self.log = log
    self.isBusy = isBusy
    self.otherwise = otherwise
  }

  func change(to otherwise: PipelineDefinition.Retention?) { self.otherwise = otherwise }

  /// Deletes runs until the task is cancelled.
  func run() async {
    var delay = Self.pause
    while (try? await host.delay(for: delay)) != nil {
      var waits = 0
      while waits < Self.patience, await isBusy() {
        waits += 1
        guard (try? await host.delay(for: Self.pause)) != nil else { return }
      }
      delay = await deleteSome() ? Self.pause : Self.interval
    }
  }

  /// Deletes one part. Returns true if there is more to delete.
  private func deleteSome() async -> Bool {
    do {
      let (count, failures) = try await Self.delete(
        Self.batch, in: host.history, for: host.whereabouts.user, otherwise: otherwise, now: host.now())
      if count > 0 {
        log.tell(.info, "retention", "deleted \(count) \(count == 1 ? "run" : "runs") according to 'retention'")
      }
      try await Self.trimOccasions(of: host.history, now: host.now())
      if let failure = failures.first {
        log.tell(.error, "retention", "cannot delete the logs of deleted runs: \(failure)")
      }
      return count >= Self.batch
    } catch {
      log.tell(.error, "retention", "cannot delete old runs: \(error)")
      return false
    }
  }

  @concurrent private static func trimOccasions(of history: History, now: RecordTime) async throws {
    try history.trimOccasions(at: now)
  }

  /// Deletes at most `limit` runs with one entry in the audit for all of them, because more entries would soon displace others from the latest.
  @concurrent static func delete(
    _ limit: Int, in history: History, for user: String, otherwise: PipelineDefinition.Retention?, now: RecordTime
  ) async throws -> (count: Int, failures: [String]) {
    let entry = CountedEntry(AuditEntry(time: now, by: Requester(user, by: .retention), .prune, "*"))
    var count = 0
    var failures: [String] = []
    for (pipeline, retention) in try history.retentions(otherwise: otherwise) {
      guard count < limit, !Task.isCancelled else { break }
      var rule = PruneRule(retention, of: pipeline, now: now)
      rule.limit = limit - count
      let (report, removal) = try Pruning(history, in: entry).run(rule)
      count += report.runs.count
      failures += removal.failures
    }
    return (count, failures)
  }
}
