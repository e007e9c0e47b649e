import RunHistory

/// What has to come before a pipeline starts the next time.
package enum PipelineNext: Sendable, Hashable {
  /// An instant.
  case at(RecordTime)
  /// An instant that has passed, as its host cannot do anything.
  case overdue(RecordTime)
  /// Conditions, and controllers without instants, by their names.
  case causes(String)
  /// Somebody who asks for it.
  case request
  /// The end of a pause, which nil leaves open; when it is due after that is not known.
  case unpaused(RecordTime?)
  /// A host.
  case host
  /// The host after the one that drains.
  case nextHost
  /// A file without errors.
  case corrected

  /// `conditions` are those of the pipeline.
  init(
    of pipeline: PublishedPipeline, _ pause: Pause?, _ conditions: [PublishedSpecification] = [],
    on host: HostRecord.State?, isStandingStill: Bool = false, at now: RecordTime
  ) {
    guard pipeline.isLoaded else {
      self = .corrected
      return
    }
    switch host {
    case nil, .stopped?, .died?: self = .host
    case .draining?: self = .nextHost
    case .starting?, .ready?:
      // What the last host said may be over, and what has just come up is not published yet.
      let next = pipeline.nextAt.flatMap { $0 > now ? $0 : nil }
      if pipeline.isUnattended {
        self = .request
      } else if let pause, pause.until.map({ end in next.map { $0 < end } ?? true }) ?? true {
        self = .unpaused(pause.until)
      } else if let next {
        self = .at(next)
      } else if isStandingStill, let missed = pipeline.nextAt {
        self = .overdue(missed)
      } else {
        self = Self.starters(of: pipeline, conditions).map(Self.causes) ?? .request
      }
    }
  }

  /// What starts it: without its conditions, where `automatic: never` lets none of them.
  private static func starters(of pipeline: PublishedPipeline, _ conditions: [PublishedSpecification]) -> String? {
    guard var causes = pipeline.causes, conditions.contains(where: { $0.name == "automatic" && $0.formula == "never" })
    else { return pipeline.causes ?? pipeline.nextCause }
    // They are behind the controllers, in this order.
    for name in ["rerun_on_change", "automatic"] {
      guard let condition = conditions.first(where: { $0.name == name }) else { continue }
      let text = "\(name): \(condition.formula)"
      guard causes.hasSuffix(text) else { continue }
      causes.removeLast(text.count)
      if causes.hasSuffix(", ") { causes.removeLast(2) }
    }
    return causes.isEmpty ? nil : causes
  }

  /// The instant, where it is known.
  package var time: RecordTime? {
    if case .at(let time) = self { time } else { nil }
  }

  /// In a few words, for people.
  package var words: String {
    switch self {
    case .at(let time): ClockText.dateAndTime(time)
    case .overdue(let time): "was due \(ClockText.dateAndTime(time))"
    case .causes(let causes): causes
    case .request: "on request"
    case .unpaused(let end): end.map { "after \(ClockText.dateAndTime($0))" } ?? "when unpaused"
    case .host: "when a host serves it"
    case .nextHost: "with the next host"
    case .corrected: "when its file is correct"
    }
  }
}
