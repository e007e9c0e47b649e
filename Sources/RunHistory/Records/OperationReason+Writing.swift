import OrderedCollections
import Values

/// Writes the members of a `detail`. The origin of each text is explicit: text from the file or the engine is kept unchanged, even if a secret is as
/// short as `a`; text from outside is masked.
private struct DetailWriter {
  private(set) var members: OrderedDictionary<String, JSONValue> = [:]
  /// Replaces secrets; nil if there are none.
  let mask: ((String) -> String)?

  init(mask: ((String) -> String)?) { self.mask = mask }

  mutating func add(_ key: String, own text: String?) {
    if let text { members[key] = .string(text) }
  }

  mutating func add(_ key: String, outside text: String?) {
    if let text { members[key] = .string(mask?(text) ?? text) }
  }

  mutating func add(_ key: String, _ number: Int64?) {
    if let number { members[key] = .int(number) }
  }

  mutating func add(_ key: String, _ time: RecordTime?) {
    if let time { members[key] = .string(time.text) }
  }

  mutating func add(_ key: String, own texts: [String]) {
    members[key] = .array(texts.map { .string($0) })
  }

  mutating func add(_ clock: OperationReason.Clock?) {
    guard let clock else { return }
    var inner = DetailWriter(mask: mask)
    inner.add(DetailKey.boot, own: clock.boot)
    inner.add(DetailKey.beganSinceBoot, clock.began)
    inner.add(DetailKey.dueSinceBoot, clock.due)
    members[DetailKey.clock] = .object(inner.members)
  }

  mutating func add(_ early: [OperationReason.Early]) {
    guard !early.isEmpty else { return }
    members[DetailKey.early] = .array(
      early.map { early in
        var inner = DetailWriter(mask: mask)
        switch early {
        case .specification(let formula, let value, let why):
          inner.add(DetailKey.formula, own: formula)
          inner.members[DetailKey.value] = .bool(value)
          inner.add(DetailKey.why, outside: why)
        case .event(let kind, let text):
          inner.add(DetailKey.formula, own: kind)
          inner.add(DetailKey.event, outside: text)
        }
        return .object(inner.members)
      })
  }

  mutating func add(_ specification: OperationReason.Specification) {
    add(DetailKey.formula, own: specification.formula)
    add(DetailKey.why, outside: specification.why)
    add(DetailKey.since, specification.since)
    add(DetailKey.due, specification.due)
    add(specification.clock)
  }

  mutating func add(_ wait: OperationReason.ExecutorWait) {
    add(DetailKey.executor, own: wait.executor)
    add(DetailKey.phase, own: wait.phase.rawValue)
    add(DetailKey.job, own: wait.job)
    add(DetailKey.jobState, own: wait.state)
    add(DetailKey.jobReason, own: wait.word)
    add(DetailKey.why, outside: wait.why)
    add(DetailKey.partition, own: wait.partition)
    add(DetailKey.demand, own: wait.demand)
    add(DetailKey.jobStart, wait.start)
    add(DetailKey.since, wait.since)
    add(DetailKey.silentSince, wait.silentSince)
  }

  mutating func add(_ gate: OpenedGate) {
    var inner = DetailWriter(mask: mask)
    inner.add(DetailKey.formula, own: gate.formula)
    inner.add(DetailKey.since, gate.since)
    inner.add(DetailKey.openedAt, gate.openedAt)
    inner.add(DetailKey.openedBy, outside: gate.openedBy)
    members[DetailKey.gate] = .object(inner.members)
  }

  mutating func add(_ artifacts: [KeptArtifact]) {
    if !artifacts.isEmpty { members[DetailKey.artifacts] = .array(artifacts.map(\.jsonValue)) }
  }

  /// The origin of the parts is unknown, so every text is masked.
  mutating func add(unknown detail: JSONValue) {
    guard let unknown = detail.objectValue else { return }
    for (name, member) in unknown { members[name] = masked(member) }
  }

  private func masked(_ value: JSONValue) -> JSONValue {
    guard let mask else { return value }
    switch value {
    case .null, .bool, .int, .double: return value
    case .string(let text): return .string(mask(text))
    case .array(let elements): return .array(elements.map { masked($0) })
    case .object(let members): return .object(members.mapValues { masked($0) })
    }
  }

  mutating func add(_ reason: OperationReason) {
    switch reason {
    case .concurrency, .place, .notSelected, .runCancelled, .runTimeout, .runNotStarted: break
    case .resources(let names): add(DetailKey.resources, own: names)
    case .exclusive(let exclusive):
      add(DetailKey.exclusive, outside: exclusive.name)
      add(DetailKey.holder, outside: exclusive.holder)
      add(DetailKey.process, exclusive.process)
    case .time(let time):
      add(DetailKey.due, time.due)
      add(time.clock)
    case .specification(let specification), .gate(let specification): add(specification)
    case .approval(let question):
      add(DetailKey.message, outside: question.message)
      add(DetailKey.command, own: question.command)
      add(question.clock)
    case .retry(let retry):
      add(DetailKey.attempt, retry.attempt)
      add(DetailKey.due, retry.due)
      add(DetailKey.delay, retry.delay)
      add(DetailKey.lastAttempt, retry.last)
      add(retry.early)
      add(retry.clock)
    case .round(let round):
      add(DetailKey.round, round.number)
      add(DetailKey.due, round.due)
      add(round.clock)
    case .former(let reason): add(reason)
    case .items(let count): add(DetailKey.items, count)
    case .itemsFailed(let count, let loop):
      add(DetailKey.failedItems, count)
      add(DetailKey.loop, own: loop)
    case .nestedRun(let run): add(DetailKey.run, own: run.text)
    case .shortage(let why): add(DetailKey.why, outside: why)
    case .executor(let wait): add(wait)
    case .condition(let text): add(DetailKey.when, own: text)
    case .dependencies(_, let names): add(DetailKey.dependencies, own: names)
    case .fresh(let run), .takenOver(let run): add(DetailKey.from, own: run?.text)
    case .failed(_, .stopped(let why)?): add(DetailKey.notRetried, outside: why)
    case .failed(_, let notRetried): add(DetailKey.notRetried, own: notRetried?.text)
    case .other(_, let detail): if let detail { add(unknown: detail) }
    }
  }
}

extension OperationReason {
  /// Returns the content of the column `detail`: the details of a reason and of an opened gate, the label of an item, why a retry executed it again,
  /// and its artifacts; nil if there are none. `mask` replaces secrets in text from outside, except in the paths of artifacts, because files whose
  /// paths contain secrets are not kept.
  package static func detail(
    _ reason: OperationReason?, gate: OpenedGate? = nil, label: String? = nil, again: String? = nil,
    artifacts: [KeptArtifact] = [], masking mask: ((String) -> String)? = nil
  ) -> JSONValue? {
    guard reason != nil || gate != nil || label != nil || again != nil || !artifacts.isEmpty else { return nil }
    var writer = DetailWriter(mask: mask)
    if let reason { writer.add(reason) }
    if let gate { writer.add(gate) }
    writer.add(DetailKey.label, outside: label)
    writer.add(DetailKey.again, own: again)
    writer.add(artifacts)
    return writer.members.isEmpty ? nil : .object(writer.members)
  }
}
