import RunHistory

/// The times and reasons for which a pipeline was not in effect although a host was running, until it came into effect.
struct PipelineAbsence: Sendable {
  /// The beginning of a period that lasts until the next one.
  struct Part: Sendable, Equatable {
    var since: RecordTime
    /// Nil if no host was running.
    var reason: Occasion.Reason?
  }

  /// In their order.
  var parts: [Part] = []
  /// What people read instead of the reasons; nil for their own words.
  var detail: String?
  /// When former hosts were draining.
  var drains: [ClosedRange<RecordTime>] = []
  var end = RecordTime(microseconds: .max)

  /// The absence of a pipeline whose file was edited, until its new version comes into effect. Its controllers missed what came between the two versions.
  static func edit(until end: RecordTime) -> Self {
    Self(
      parts: [Part(since: RecordTime(microseconds: .min), reason: .notServed)], detail: Occasion.edited, end: end)
  }

  /// Returns why there was no run at an instant; nil if the pipeline was in effect, or no host was running.
  func reason(at instant: RecordTime) -> Occasion.Reason? {
    instant < end ? parts.last { $0.since <= instant }?.reason : nil
  }

  /// Returns what people read instead of the words of the reason at an instant, for which a controller takes the host to have been down; nil for these words.
  func detail(at instant: RecordTime) -> String? {
    guard instant < end else { return Occasion.clockJump }
    if let detail { return detail }
    return reason(at: instant) == nil && drains.contains { $0.contains(instant) } ? Occasion.draining : nil
  }
}

/// The times for which pipelines were not in effect, by name: a controller that begins may take the time of a broken file for a time without a host.
struct PipelineAbsences {
  /// The maximum number of periods kept: of files that appear and disappear all the time, the latest.
  private static let mostParts = 100

  private let began: RecordTime
  private let drains: [ClosedRange<RecordTime>]
  private var absences: [String: PipelineAbsence] = [:]
  /// Whether the files have not been searched before: what the first search finds is assumed since the start of this host.
  private var isFirst = true

  /// - Parameters:
  ///   - began: The time at which this host started.
  ///   - drains: When former hosts were draining.
  init(since began: RecordTime, drains: [ClosedRange<RecordTime>] = []) {
    (self.began, self.drains) = (began, drains)
  }

  /// Adopts what former hosts published about pipelines that they could not load.
  ///
  /// - Parameters:
  ///   - pipelines: What was published last.
  ///   - hosts: The hosts before this one, the latest first.
  mutating func takeOver(_ pipelines: [PublishedPipeline], of hosts: [HostRecord]) {
    for pipeline in pipelines where !pipeline.isLoaded {
      for host in hosts.reversed() {
        // The end of a killed host is unknown.
        guard let ended = host.endedAt, ended > pipeline.loadedAt else { continue }
        add(.invalidDefinition, pipeline.name, since: max(pipeline.loadedAt, host.startedAt))
        add(nil, pipeline.name, since: ended)
      }
    }
  }

  /// Notes that the pipeline is not in effect because of `reason`.
  mutating func note(_ reason: Occasion.Reason, of name: String, at time: RecordTime) {
    add(reason, name, since: isFirst ? began : time)
  }

  private mutating func add(_ reason: Occasion.Reason?, _ name: String, since time: RecordTime) {
    var absence = absences[name] ?? PipelineAbsence()
    guard absence.parts.last?.reason != reason else { return }
    absence.parts.append(PipelineAbsence.Part(since: time, reason: reason))
    if absence.parts.count > Self.mostParts { absence.parts.removeFirst() }
    absences[name] = absence
  }

  /// Notes that all files have been searched.
  mutating func endLook() { isFirst = false }

  /// Returns since when the file of an absent pipeline has had errors, as far as hosts have seen it; nil if it has none.
  func invalid(_ name: String) -> RecordTime? {
    guard let parts = absences[name]?.parts, parts.last?.reason == .invalidDefinition else { return nil }
    return parts.suffix(while: { $0.reason == nil || $0.reason == .invalidDefinition }).first { $0.reason != nil }?
      .since
  }

  /// Notes that the pipeline comes into effect.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - time: The present.
  /// - Returns: Its absence until now.
  mutating func end(_ name: String, at time: RecordTime) -> PipelineAbsence {
    var absence = absences.removeValue(forKey: name) ?? PipelineAbsence()
    // This host does not know the pipeline yet.
    if !isFirst, absence.parts.last.map({ $0.since < began }) ?? true {
      absence.parts.append(PipelineAbsence.Part(since: began, reason: .notServed))
    }
    (absence.end, absence.drains) = (time, drains)
    return absence
  }
}

extension Array {
  /// The longest suffix of elements that satisfy `predicate`.
  fileprivate func suffix(while predicate: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !predicate($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
