import Operations
import RunHistory

/// Whether something at a path has changed: was written to, replaced, created or removed.
struct ChangedSpecification: LoopSpecification {
  /// The point from which changes count.
  enum Reference {
    /// The beginning of the run, and the state of the path when this host began with the run.
    case run(began: RecordTime, found: FileStamp?)
    /// The beginning of a success. The earlier state of the path is unknown, so a missing file counts as a change.
    case success(begun: RecordTime)
  }

  /// The absolute path.
  let path: String
  /// The text of the specification.
  let text: String
  let since: Reference
  let watch: PathWatch
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool {
    let now = FileStamp(path)
    switch since {
    // A resumed run has not seen what changed between its hosts.
    case .run(let began, let found): return now != found || now.map { $0.latest > began } ?? false
    case .success(let begun):
      // What has changed since a time in the future is unknown: the clock was set back.
      if Timestamp(begun) > context.operationClock.now() { return true }
      return now.map { $0.latest.microseconds > begun.microseconds - FileStamp.lag } ?? true
    }
  }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let entry = watch.add(path, onChange)
    return { watch.remove(entry) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let isSatisfied = isSatisfied(in: context)
    let reason =
      FileStamp(path).map { stamp in
        isSatisfied ? "\(path) last changed at \(stamp.latest.text)" : "\(path) has not changed since \(begun.text)"
      } ?? "\(path) does not exist"
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isSatisfied)
  }

  private var begun: RecordTime {
    switch since {
    case .run(let began, _): began
    case .success(let begun): begun
    }
  }
}
