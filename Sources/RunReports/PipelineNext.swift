import RunHistory

/// What must happen before a pipeline starts next.
package enum PipelineNext: Sendable, Hashable {
  /// An instant is reached.
  case at(RecordTime)
  /// An instant that has passed while its host was at a standstill.
  case overdue(RecordTime)
  /// One of its causes occurs: conditions, and controllers without instants, by name.
  case causes(String)
  /// A person requests it.
  case request
  /// A pause ends, at a time that may be open (nil); when it is due afterwards is unknown.
  case unpaused(RecordTime?)
  /// A host serves it.
  case host
  /// The host that follows the draining one serves it.
  case nextHost
  /// Its file is corrected.
  case corrected

  /// Determines what is next. `conditions` are those of the pipeline.
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
      // What the last host published may be outdated, and a new instant may not be published yet.
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

  /// Returns what starts it, without its conditions if `automatic: never` disables them.
  private static func starters(of pipeline: PublishedPipeline, _ conditions: [PublishedSpecification]) -> String? {
    guard var causes = pipeline.causes, conditions.contains(where: { $0.name == "automatic" && $0.formula == "never" })
    else { return pipeline.causes ?? pipeline.nextCause }
    // The conditions follow the controllers, in this order.
    for name in ["rerun_on_change", "automatic"] {
      guard let condition = conditions.first(where: { $0.name == name }) else { continue }
      let text = "\(name): \(condition.formula)"
      guard causes.hasSuffix(text) else { continue }
      causes.removeLast(text.count)
      if causes.hasSuffix(", ") { causes.removeLast(2) }
    }
    return causes.isEmpty ? nil : causes
  }

  /// The instant, if known.
  package var time: RecordTime? {
    if case .at(let time) = self { time } else { nil }
  }

  /// A short description for display.
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
