import SQLite
import Values
import Workspace

/// Determines what has happened in a run, and in the runs nested in it, since the last call, whatever process executes it.
///
/// It returns the events that the run's host reports, in the order of their times and as far as they are recorded; of several changes between two
/// calls, only the last state. It only reads; its user decides when. Not thread-safe.
package struct RunFollower {
  private struct Attempt: Hashable {
    let ordinal: Int
    let number: Int
  }

  /// What has been reported about a run.
  private struct Told {
    var state: RunState?
    var operations: [Int: OperationRecord] = [:]
    var attempts: [Attempt: AttemptRecord] = [:]
    var approvals: [Int: Approval] = [:]
  }

  /// A run as it is currently recorded.
  private struct Look {
    var run: RunRecord
    var operations: [OperationRecord]
    var attempts: [AttemptRecord]
    var approvals: [Approval]
  }

  private let root: RunID
  private var told: [RunID: Told] = [:]

  /// Creates a follower of `run` that has reported nothing yet.
  package init(of run: RunID) {
    root = run
  }

  /// Returns what has happened since the last call; the first call returns everything recorded. The end of the run comes with its outcome.
  ///
  /// - Returns: Nil if the run no longer exists.
  package mutating func changes(
    in history: History
  ) throws(WorkspaceError) -> (events: [RunEvent], outcome: RunOutcome?)? {
    let found = try history.read { db in try looks(in: db) }
    guard let first = found.first else { return nil }
    var nested = Dictionary(grouping: found.dropFirst()) { $0.run.parent?.run ?? first.run.id }
    let events = tell(first, &nested, after: RecordTime(microseconds: .min))
    // Events with the same time stay in causal order.
    let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    return (order.map { events[$0].event }, first.run.state.isFinal ? Self.outcome(first) : nil)
  }

  /// Returns the run, and those nested in it that had not ended when last reported, each after the one that started it.
  private func looks(in db: Database) throws -> [Look] {
    var looks: [Look] = []
    var seen: Set<RunID> = [root]
    var next = [root]
    while !next.isEmpty {
      let id = next.removeFirst()
      guard let found = try RunRows.find(id, in: db) else { continue }
      looks.append(
        Look(
          run: try RunRows.presented(found, in: db), operations: try OperationRows.operations(of: found, in: db),
          attempts: try OperationRows.attempts(of: found, ordinal: nil, in: db),
          approvals: try ApprovalRows.approvals(of: found, onlyPending: false, in: db)))
      let started = try db.fetch(for: StoredRun.self)
        .select(StoredRun.id, where: StoredRun.parent == id.text, orderBy: [StoredRun.id.ascending])
      for child in started.compactMap({ RunID($0) }) where seen.insert(child).inserted {
        if told[child]?.state?.isFinal != true { next.append(child) }
      }
    }
    return looks
  }

  /// An event and its time, which is never before its cause, whatever the clock did.
  private struct Timed {
    var time: RecordTime
    var event: RunEvent
  }

  /// Returns the changes in a run and in those nested in it, which are removed from `nested`: each follows the attempt that started it.
  private mutating func tell(_ look: Look, _ nested: inout [RunID: [Look]], after start: RecordTime) -> [Timed] {
    var known = told[look.run.id] ?? Told()
    var events: [Timed] = []
    let begin = max(start, look.run.startedAt ?? look.run.createdAt)
    let isNews = known.state != look.run.state
    if isNews, !look.run.state.isFinal {
      events.append(Timed(time: begin, event: .run(look.run)))
    } else if known.state == nil || known.state == .queued, isNews, look.run.startedAt != nil {
      // It has begun, too.
      var begun = look.run
      (begun.state, begun.reason, begun.endedAt) = (.running, nil, nil)
      events.append(Timed(time: begin, event: .run(begun)))
    }
    let attempts = Dictionary(grouping: look.attempts, by: \.ordinal)
    var started = Dictionary(grouping: nested.removeValue(forKey: look.run.id) ?? []) { $0.run.parent?.operation ?? "" }
    var open: [Int: RecordTime] = [:]
    for var operation in look.operations {
      // Results may be large, and no event contains them.
      operation.result = .none
      var latest = begin
      func add(_ event: RunEvent, at time: RecordTime?) {
        latest = max(latest, time ?? latest)
        events.append(Timed(time: latest, event: event))
      }
      let former = known.operations.updateValue(operation, forKey: operation.ordinal)
      if former == nil, operation.state.isFinal, operation.attempts > 0, operation.reusedFrom == nil {
        // It has begun, too.
        add(.operation(begun(operation)), at: operation.startedAt)
      }
      // An attempt begins after its operation, and ends before it.
      if former != operation, !operation.state.isFinal {
        add(.operation(operation), at: operation.waitingSince ?? operation.startedAt)
        open[operation.ordinal] = latest
      }
      var children = started.removeValue(forKey: operation.name) ?? []
      for var attempt in attempts[operation.ordinal] ?? [] {
        attempt.result = .none
        // A run that an attempt has started begins after it, and ends before it.
        let own = children.filter { $0.run.parent?.attempt == attempt.number }
        children.removeAll { $0.run.parent?.attempt == attempt.number }
        let isOver = attempt.endedAt != nil
        if isOver { for child in own { events += tell(child, &nested, after: latest) } }
        let key = Attempt(ordinal: attempt.ordinal, number: attempt.number)
        if known.attempts.updateValue(attempt, forKey: key) != attempt {
          add(.attempt(attempt), at: attempt.endedAt ?? attempt.startedAt)
        }
        if !isOver { for child in own { events += tell(child, &nested, after: latest) } }
      }
      // Earlier versions did not record which attempt it was.
      for child in children { events += tell(child, &nested, after: begin) }
      if former != operation, operation.state.isFinal { add(.operation(operation), at: operation.endedAt) }
    }
    for child in started.values.joined() { events += tell(child, &nested, after: begin) }
    for approval in look.approvals {
      let former = known.approvals.updateValue(approval, forKey: approval.ordinal)
      guard former == nil || former?.answer != approval.answer else { continue }
      let time = max(open[approval.ordinal] ?? begin, approval.answer?.at ?? approval.requestedAt)
      events.append(Timed(time: time, event: .approval(approval)))
    }
    if isNews, look.run.state.isFinal {
      let latest = events.lazy.map(\.time).max() ?? begin
      events.append(Timed(time: max(latest, look.run.endedAt ?? latest), event: .run(look.run)))
    }
    known.state = look.run.state
    told[look.run.id] = known
    return events
  }

  /// Returns an ended operation as it was when it began.
  private func begun(_ operation: OperationRecord) -> OperationRecord {
    var begun = operation
    (begun.state, begun.attempts, begun.endedAt) = (.running, 1, nil)
    (begun.reason, begun.error) = (nil, nil)
    return begun
  }

  private static func outcome(_ look: Look) -> RunOutcome {
    var results: [String: JSONValue] = [:]
    for operation in look.operations where operation.parent == nil {
      if case .inline(let text) = operation.result { results[operation.name] = try? JSONValue.parse(text) }
    }
    return RunOutcome(run: look.run, results: results)
  }
}
