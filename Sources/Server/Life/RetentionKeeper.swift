import PipelineEngine
import PipelineLanguage
import RunHistory
import RunReports

/// Deletes the runs that nobody wants to keep any more: beside everything else, a bounded number at a time, at most once an hour, and when no run goes on.
actor RetentionKeeper {
  /// How long it waits between two deletions.
  private static let interval = Duration.seconds(3600)
  /// How long it waits for the next part, or for a moment when no run goes on.
  private static let pause = Duration.seconds(60)
  /// How often it waits for such a moment. A host that is never idle deletes all the same.
  private static let patience = 60
  /// How many runs are deleted at a time.
  private static let batch = 1000

  private let host: RunHost
  private let log: HostLog
  private let isBusy: @Sendable () async -> Bool
  private var otherwise: PipelineDefinition.Retention?

  /// - Parameters:
  ///   - host: The host whose runs these are.
  ///   - log: Told of what was deleted.
  ///   - otherwise: What holds for pipelines that say nothing.
  ///   - isBusy: Whether runs go on.
  init(
    host: RunHost, log: HostLog, otherwise: PipelineDefinition.Retention?, isBusy: @escaping @Sendable () async -> Bool
  ) {
    self.host = host
    self.log = log
    self.isBusy = isBusy
    self.otherwise = otherwise
  }

  func change(to otherwise: PipelineDefinition.Retention?) { self.otherwise = otherwise }

  /// Deletes until the task is cancelled.
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

  /// Deletes a part. True when there is more.
  private func deleteSome() async -> Bool {
    do {
      let (count, failures) = try await Self.delete(
        Self.batch, in: host.history, for: host.whereabouts.user, otherwise: otherwise, now: host.now())
      if count > 0 {
        log.tell(.info, "retention", "deleted \(count) \(count == 1 ? "run" : "runs") according to 'retention'")
      }
      if let failure = failures.first {
        log.tell(.error, "retention", "cannot delete the logs of deleted runs: \(failure)")
      }
      return count >= Self.batch
    } catch {
      log.tell(.error, "retention", "cannot delete old runs: \(error)")
      return false
    }
  }

  /// Deletes at most `limit` runs, with one entry in the audit for all of them: others would soon not be among the latest.
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
