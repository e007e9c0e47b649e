/// A specification that must stay satisfied for some time. See ``OperationRunSpecification/hold(for:)``.
public struct HoldRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The specification that must stay satisfied.
  public let base: Base
  /// The required time. Zero or less requires nothing.
  public let duration: Duration
  private let watches: HoldWatches

  /// Creates a specification that is satisfied once `base` has been satisfied for `duration` without interruption.
  public init(_ base: Base, for duration: Duration) {
    self.base = base
    self.duration = duration
    watches = HoldWatches()
  }

  /// Returns whether the base is satisfied and has been for long enough.
  ///
  /// If there are no subscribers and the base does not know since when it is satisfied, time counts from the first
  /// evaluation. A specification that never changes counts as satisfied for any length of time.
  public func isSatisfied(in context: OperationContext) -> Bool {
    value(in: context) == true
  }

  /// Returns the value; nil if that of the base is unknown.
  public func value(in context: OperationContext) -> Bool? {
    let value = base.value(in: context)
    guard value == true else { return value }
    return duration <= .zero || heldTime(in: context) >= duration
  }

  /// Subscribes to the base, and keeps a timer while it is satisfied but not yet for long enough.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    guard duration > .zero else { return base.subscribe(in: context, onChange: onChange) }
    let watch = HoldWatch(base, for: duration, in: context, onChange: onChange)
    let id = watches.insert(watch)
    watch.start()
    return OperationSubscription { [watches] in
      watches.remove(id)
      watch.stop()
    }
  }

  /// Returns the condition of the base, the duration, and what is missing.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let base = base.description(in: context)
    let isHeld = isSatisfied(in: context)
    var missing: [String] = []
    if base.isSatisfied, !isHeld {
      let due = context.operationClock.now().advanced(by: duration - heldTime(in: context))
      missing.append("not yet for \(duration.brief) (until \(context.operationTimestampFormat(due)))")
    }
    var description = SpecificationDescription(
      formula: "\(base.operand(of: .prefix)) for \(duration.brief)",
      reason: ([base.reason] + missing).joined(separator: ", "), isSatisfied: base.isKnown ? isHeld : nil,
      changedAt: isHeld ? base.changedAt?.advanced(by: duration) : (missing.isEmpty ? base.changedAt : nil),
      binding: .prefix, causes: base.causes + missing, looksBehindNames: base.looksBehindNames)
    description.isConstant = base.isConstant
    return description
  }

  private func heldTime(in context: OperationContext) -> Duration {
    if let watch = watches.watch(in: context) { return watch.heldTime }
    let clock = context.operationClock
    let known = base.description(in: context)
    if known.isConstant { return duration }
    // A time of change in the future is ignored: the clock was set back.
    if let time = known.changedAt?.duration(to: clock.now()), time >= .zero { return time }
    if let least = watches.leastHeldTime { return least }
    return watches.timeSinceAsked(base, in: context)
  }
}

extension OperationRunSpecification {
  /// Satisfied once this specification has been satisfied for `duration` without interruption, to prevent flapping.
  ///
  /// Time is measured by the context's `operationClock` and `operationDelayer`. A timer exists only while there is a subscriber and this
  /// specification is satisfied but not yet for long enough. If it knows when it became satisfied, the time before the subscription counts
  /// too. With a duration of zero or less, the result is equivalent to this specification.
  public func hold(for duration: Duration) -> HoldRunSpecification<Self> {
    HoldRunSpecification(self, for: duration)
  }
}

extension Duration {
  /// A short notation such as `90s`, `1.5s` or `0.25s`, to the millisecond.
  var brief: String {
    let (seconds, attoseconds) = components
    let thousandths = attoseconds / 1_000_000_000_000_000
    guard thousandths > 0 else { return "\(seconds)s" }
    var fraction = String(1_000 + thousandths).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction)s"
  }
}
