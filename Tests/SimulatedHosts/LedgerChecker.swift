import RunHistory

/// Compares the records of simulated hosts with what the documents promise.
struct LedgerChecker {
  typealias Occasion = Ledger.Occasion
  typealias Run = Ledger.Run

  let ledger: Ledger
  let pipelines: [SimulatedPipeline]
  /// In microseconds since 1970, as all times here.
  let lives: [(began: Int64, ended: Int64, lost: Int64)]
  let pauses: [String: (from: Int64, to: Int64)]
  private let start: Int64
  private let end: Int64
  /// The queues with a limit of their own.
  let limited: Set<String>
  var problems: [String] = []

  init(_ ledger: Ledger, of hosts: SimulatedHosts) {
    self.ledger = ledger
    pipelines = hosts.pipelines
    lives = hosts.lives.map { ($0.began / 1000, $0.ended / 1000, $0.lost / 1000) }
    pauses = Dictionary(hosts.pauses.map { ($0.pipeline, ($0.from / 1000, $0.to / 1000)) }) { first, _ in first }
    limited = Set(hosts.limits.queues.keys)
    start = SimulatedHosts.start / 1000
    end = (hosts.lives.last?.ended ?? 0) / 1000
  }

  /// All discrepancies.
  static func check(_ ledger: Ledger, of hosts: SimulatedHosts) -> [String] {
    var checker = LedgerChecker(ledger, of: hosts)
    var expected = ExpectedInstants(after: checker.start / 1_000_000, upTo: checker.end / 1_000_000)
    let occasions = Dictionary(grouping: ledger.occasions, by: \.pipeline)
    let runs = Dictionary(grouping: ledger.runs.values, by: \.pipeline)
    for pipeline in hosts.pipelines {
      let own = (runs[pipeline.name] ?? []).sorted { $0.number < $1.number }
      let instants = (occasions[pipeline.name] ?? []).filter { $0.cause == "instant" }
      checker.check(pipeline, expected.of(pipeline.schedule).map { $0 * 1_000_000 }, instants)
      checker.check(pipeline, occasions[pipeline.name] ?? [], own)
      if case .success(let source) = pipeline.schedule {
        checker.checkConditions(pipeline, occasions[pipeline.name] ?? [], own, after: runs[source] ?? [])
      }
    }
    checker.checkRuns()
    checker.checkTurns()
    let requests = ledger.occasions.count { $0.cause == "request" }
    if requests != hosts.requested {
      checker.problems.append("\(requests) requests are recorded, but \(hosts.requested) were made")
    }
    return checker.problems + ledger.strangeAttempts
  }

  private mutating func report(_ pipeline: SimulatedPipeline, _ occasion: Occasion?, _ text: String) {
    let instant = occasion.map { " \(RecordTime(microseconds: $0.instant ?? $0.askedAt).text)" } ?? ""
    let outcome = occasion.map { " (\($0.outcome) \($0.reason ?? ""))" } ?? ""
    problems.append("\(pipeline.name)\(instant)\(outcome): \(text)")
  }

  // MARK: Instants

  /// Each instant has exactly one row, from the host that was running then, or from the next one, which skipped what `catch_up` does not make up for.
  private mutating func check(_ pipeline: SimulatedPipeline, _ expected: [Int64], _ found: [Occasion]) {
    let byInstant = Dictionary(grouping: found) { $0.instant ?? 0 }
    for (instant, rows) in byInstant where rows.count > 1 {
      report(pipeline, rows[0], "has \(rows.count) rows")
      _ = instant
    }
    let wanted = Set(expected)
    for occasion in found where !wanted.contains(occasion.instant ?? 0) {
      report(pipeline, occasion, "is not an instant of the pipeline")
    }
    var missed: [Int: [Occasion]] = [:]
    for instant in expected {
      guard let occasion = byInstant[instant]?.first else {
        problems.append("\(pipeline.name) \(RecordTime(microseconds: instant).text): has no row")
        continue
      }
      if let life = lives.lastIndex(where: { $0.began <= instant }), instant <= lives[life].ended,
        occasion.askedAt == instant
      {
        if ["host-down", "catch-up-limit"].contains(occasion.reason), instant > lives[life].began {
          report(pipeline, occasion, "a host was running")
        }
        if instant == lives[life].began { missed[life, default: []].append(occasion) }
        continue
      }
      guard let next = lives.firstIndex(where: { $0.began >= instant }) else {
        report(pipeline, occasion, "is late by \(occasion.askedAt - instant) µs")
        continue
      }
      if next > 0, instant <= lives[next - 1].lost, instant > lives[next - 1].began {
        report(pipeline, occasion, "a host was running, but did not handle it")
      }
      if occasion.askedAt != lives[next].began {
        report(pipeline, occasion, "was handled at \(RecordTime(microseconds: occasion.askedAt).text)")
      }
      missed[next, default: []].append(occasion)
    }
    for (life, occasions) in missed { checkMissed(pipeline, occasions, at: lives[life].began) }
  }

  /// The instants without a host, in order.
  private mutating func checkMissed(_ pipeline: SimulatedPipeline, _ occasions: [Occasion], at now: Int64) {
    for (index, occasion) in occasions.enumerated() {
      let later = occasions.count - 1 - index
      var expected: String?
      switch (pipeline.schedule, pipeline.catchUp) {
      case (.interval, _), (.success, _): expected = "host-down"
      case (.cron, .none):
        let isPunctual = later == 0 && now - (occasion.instant ?? 0) <= 60_000_000
        expected = isPunctual ? nil : "host-down"
      case (.cron, .last): expected = later == 0 ? nil : "host-down"
      case (.cron, .all(let limit)): expected = later < limit ? nil : "catch-up-limit"
      }
      let told = ["host-down", "catch-up-limit"].contains(occasion.reason) ? occasion.reason : nil
      if told != expected {
        report(pipeline, occasion, "is \(expected ?? "made up for") by its catch_up, \(pipeline.catchUp)")
      }
    }
  }

  // MARK: Outcomes

  private mutating func check(_ pipeline: SimulatedPipeline, _ occasions: [Occasion], _ runs: [Run]) {
    for occasion in occasions {
      let run = occasion.run.flatMap { ledger.runs[$0] }
      switch (occasion.outcome, occasion.reason) {
      case ("run", nil):
        guard let run else {
          report(pipeline, occasion, "has no run")
          continue
        }
        checkBegun(pipeline, occasion, run, runs)
      case ("replaced", "overlap"):
        if pipeline.overlap != .cancel { report(pipeline, occasion, "its overlap is \(pipeline.overlap)") }
        let at = run?.endedAt ?? 0
        // A run that its host had taken but not begun ends a moment after the other one was queued.
        if run?.startedAt != nil || !runs.contains(where: { $0.createdAt <= at && $0.number > run?.number ?? 0 }) {
          report(pipeline, occasion, "nothing took its place")
        }
      case ("skipped", "overlap"):
        if pipeline.overlap != .skip { report(pipeline, occasion, "its overlap is \(pipeline.overlap)") }
        let isInTheWay = runs.contains { run in
          run.createdAt <= occasion.askedAt && run.endedAt ?? .max >= occasion.askedAt
        }
        if !isInTheWay { report(pipeline, occasion, "there was no other run") }
      case ("skipped", "paused"):
        let pause = pauses[pipeline.name]
        if !(pause.map {
          $0.from <= (occasion.instant ?? occasion.askedAt) && (occasion.instant ?? occasion.askedAt) <= $0.to
        } ?? false) {
          report(pipeline, occasion, "it was not paused")
        }
      case ("skipped", "too-late"):
        guard let within = pipeline.startWithin else {
          report(pipeline, occasion, "it has no start_within")
          continue
        }
        let startBy = (occasion.instant ?? occasion.askedAt) + within * 1_000_000
        if run?.endedAt ?? occasion.askedAt <= startBy {
          report(pipeline, occasion, "was skipped before its deadline")
        }
        if run?.startedAt != nil { report(pipeline, occasion, "has begun") }
      case ("skipped", "not-stale"):
        if pipeline.refusal != .notStale { report(pipeline, occasion, "it has no stale_when") }
      case ("skipped", "not-automatic"):
        if pipeline.refusal != .notAutomatic { report(pipeline, occasion, "it may run by itself") }
      case ("skipped", "host-down"), ("skipped", "catch-up-limit"):
        if occasion.run != nil { report(pipeline, occasion, "has a run") }
      default: report(pipeline, occasion, "this outcome is impossible")
      }
    }
    checkOverlap(pipeline, runs)
  }

  private mutating func checkBegun(
    _ pipeline: SimulatedPipeline, _ occasion: Occasion, _ run: Run, _ runs: [Run]
  ) {
    if run.createdAt != occasion.askedAt { report(pipeline, occasion, "its run was created at another time") }
    let pause = pauses[pipeline.name]
    if occasion.cause == "instant", let pause, let instant = occasion.instant, pause.from < instant, instant < pause.to
    {
      report(pipeline, occasion, "it was paused")
    }
    if let started = run.startedAt, let within = pipeline.startWithin,
      started > (occasion.instant ?? occasion.askedAt) + within * 1_000_000
    {
      report(pipeline, occasion, "began too late, at \(RecordTime(microseconds: started).text)")
    }
    if pipeline.overlap == .skip,
      let other = runs.first(where: { other in
        other.number < run.number && other.createdAt < occasion.askedAt && other.endedAt ?? .max > occasion.askedAt
      })
    {
      report(pipeline, occasion, "run \(other.number), \(other.state), was there")
    }
  }

  /// Each success of another pipeline that a pipeline follows has made it run, or has a row that says why not; a success while it ran or was queued
  /// is combined with others.
  private mutating func checkConditions(
    _ pipeline: SimulatedPipeline, _ occasions: [Occasion], _ runs: [Run], after sources: [Run]
  ) {
    let told = occasions.filter { $0.cause == "condition" }.sorted { $0.askedAt < $1.askedAt }
    for occasion in told where occasion.detail == nil { report(pipeline, occasion, "does not say why") }
    for success in sources.filter({ $0.state == "succeeded" }).compactMap(\.endedAt) {
      // The host that is running then, or the next one; and if the pipeline runs, when that run ends.
      guard let life = lives.first(where: { success < $0.lost }) else { continue }
      // A success of a resumed run at the moment in which its host began to listen: the order of the two is undefined, because time stands still.
      if success == life.began { continue }
      var deadline = max(success, life.began)
      for run in runs where run.createdAt <= deadline { deadline = max(deadline, run.endedAt ?? .max) }
      if deadline >= life.lost { continue }
      let waits = runs.contains { $0.createdAt <= success && $0.startedAt ?? .max >= success }
      let isTold = told.contains { $0.askedAt >= success && $0.askedAt <= deadline + 1_000_000 }
      // A condition whose run was rejected stays true until a run begins.
      let isTrue = told.last { $0.askedAt < success && $0.outcome != "run" }.map { refused in
        !runs.contains { $0.startedAt ?? .max > refused.askedAt && $0.startedAt ?? .max < success }
      }
      let hasBegun = runs.contains { ($0.startedAt ?? 0) >= success && ($0.startedAt ?? 0) <= deadline }
      if !waits, !isTold, isTrue != true, !hasBegun {
        let time = { (time: Int64?) in time.map { RecordTime(microseconds: $0).text } ?? "never" }
        let before = told.last { $0.askedAt < success }
        let run = runs.last { $0.createdAt <= success }
        problems.append(
          """
          \(pipeline.name): nothing is told of the success at \(time(success)); a host lived from \(time(life.began)) to \
          \(time(life.lost)); told before at \(time(before?.askedAt)), \(before?.reason ?? "run"), and after it at \
          \(time(told.first { $0.askedAt > success }?.askedAt)); its run of \(time(run?.createdAt)) ended at \(time(run?.endedAt))
          """)
      }
    }
  }

  /// A pipeline that may not overlap with itself has at most one active run.
  private mutating func checkOverlap(_ pipeline: SimulatedPipeline, _ runs: [Run]) {
    guard pipeline.overlap == .queue || pipeline.overlap == .skip else { return }
    let begun = runs.filter { $0.startedAt != nil }.sorted {
      ($0.startedAt ?? 0, $0.number) < ($1.startedAt ?? 0, $1.number)
    }
    for (former, next) in zip(begun, begun.dropFirst()) where former.endedAt ?? .max > next.startedAt ?? 0 {
      problems.append("\(pipeline.name): run \(next.number) began while run \(former.number) was active")
    }
  }

  // MARK: Runs

  private mutating func checkRuns() {
    // The last host is drained: it leaves waiting runs.
    let final: Set = ["succeeded", "failed", "cancelled", "interrupted"]
    for run in ledger.runs.values {
      if run.occasions != 1 { problems.append("run \(run.number) of \(run.pipeline) has \(run.occasions) occasions") }
      if run.isQueued {
        if run.state != "queued" { problems.append("run \(run.number) of \(run.pipeline) is \(run.state) and queued") }
      } else if !final.contains(run.state) {
        problems.append("run \(run.number) of \(run.pipeline) is \(run.state) at the end")
      }
      if let other = run.replacedBy, other < run.number {
        problems.append("run \(run.number) of \(run.pipeline) is replaced by the earlier run \(other)")
      }
      if let started = run.startedAt, let ended = run.endedAt, started > ended || started < run.createdAt {
        problems.append("run \(run.number) of \(run.pipeline) has times that are out of order")
      }
    }
  }
}
