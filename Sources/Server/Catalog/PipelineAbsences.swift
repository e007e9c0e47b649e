import RunHistory

/// Since when a pipeline was not at work although a host was there, and why, until it began to be at work.
struct PipelineAbsence: Sendable {
  /// The beginning of a time that lasts until that of the next one.
  struct Part: Sendable, Equatable {
    var since: RecordTime
    /// Nil where no host was there.
    var reason: Occasion.Reason?
  }

  /// In their order.
  var parts: [Part] = []
  var end = RecordTime(microseconds: .max)

  /// Why there was no run at an instant; nil where it was at work, or no host was there.
  func reason(at instant: RecordTime) -> Occasion.Reason? {
    instant < end ? parts.last { $0.since <= instant }?.reason : nil
  }
}

/// When pipelines were not at work, by their names: what a controller that begins takes for the time without a host may have been that of a broken file.
struct PipelineAbsences {
  /// How many parts of an absence are told apart: of files that come and go all the time, the latest.
  private static let mostParts = 100

  private let began: RecordTime
  private var absences: [String: PipelineAbsence] = [:]
  /// Whether the files have not been looked at before: what is found then has been so since this host began.
  private var isFirst = true

  /// - Parameter began: When this host did.
  init(since began: RecordTime) { self.began = began }

  /// Takes over what former hosts have published of pipelines that they could not load.
  ///
  /// - Parameters:
  ///   - pipelines: What was published last.
  ///   - hosts: The hosts before this one, the latest first.
  mutating func takeOver(_ pipelines: [PublishedPipeline], of hosts: [HostRecord]) {
    for pipeline in pipelines where !pipeline.isLoaded {
      for host in hosts.reversed() {
        // When one that was killed ended nobody knows.
        guard let ended = host.endedAt, ended > pipeline.loadedAt else { continue }
        add(.invalidDefinition, pipeline.name, since: max(pipeline.loadedAt, host.startedAt))
        add(nil, pipeline.name, since: ended)
      }
    }
  }

  /// The pipeline is not at work, for `reason`.
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

  /// All files have been looked at.
  mutating func endLook() { isFirst = false }

  /// Since when the file of a pipeline that is not at work has had errors, as far as hosts have seen it; nil where it has none.
  func invalid(_ name: String) -> RecordTime? {
    guard let parts = absences[name]?.parts, parts.last?.reason == .invalidDefinition else { return nil }
    return parts.suffix(while: { $0.reason == nil || $0.reason == .invalidDefinition }).first { $0.reason != nil }?
      .since
  }

  /// The pipeline begins to be at work.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - time: The present.
  /// - Returns: How it has been without that until now.
  mutating func end(_ name: String, at time: RecordTime) -> PipelineAbsence {
    var absence = absences.removeValue(forKey: name) ?? PipelineAbsence()
    // This host has never heard of it.
    if !isFirst, absence.parts.last.map({ $0.since < began }) ?? true {
      absence.parts.append(PipelineAbsence.Part(since: began, reason: .notServed))
    }
    absence.end = time
    return absence
  }
}

extension Array {
  /// The longest suffix of elements that satisfy `predicate`.
  fileprivate func suffix(while predicate: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !predicate($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
