/// A condition that has to stay satisfied for a while before it counts. See ``OperationRunSpecification/hold(for:)``.
public struct HoldRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The condition that has to stay satisfied.
  public let base: Base
  /// For how long. Zero or less asks for nothing.
  public let duration: Duration
  private let watches: HoldWatches

  /// `base`, once it has been satisfied for `duration` without a break.
  public init(_ base: Base, for duration: Duration) {
    self.base = base
    self.duration = duration
    watches = HoldWatches()
  }

  /// Whether the condition is satisfied, and has been for long enough.
  ///
  /// Where nobody subscribes and the condition does not know since when it is satisfied, the time counts from the first
  /// time of asking. A condition that never changes has been satisfied for any time.
  public func isSatisfied(in context: OperationContext) -> Bool {
    value(in: context) == true
  }

  /// Unknown where the condition is.
  public func value(in context: OperationContext) -> Bool? {
    let value = base.value(in: context)
    guard value == true else { return value }
    return duration <= .zero || heldTime(in: context) >= duration
  }

  /// Subscribes to the condition, and keeps a timer while it is satisfied but not yet for long enough.
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

  /// The condition's formula, the duration, and what is missing.
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
    // A change in the future tells nothing: the clock was set back.
    if let time = known.changedAt?.duration(to: clock.now()), time >= .zero { return time }
    if let least = watches.leastHeldTime { return least }
    return watches.timeSinceAsked(base, in: context)
  }
}

extension OperationRunSpecification {
  /// Satisfied once this condition has been satisfied for `duration` without a break: against flapping.
  ///
  /// Time passes by the context's `operationClock` and `operationDelayer`. A timer exists only while somebody subscribes
  /// and this condition is satisfied but not yet for long enough. Where it knows when it became satisfied, the time
  /// before the subscription counts. With a duration of zero or less it is this condition.
  public func hold(for duration: Duration) -> HoldRunSpecification<Self> {
    HoldRunSpecification(self, for: duration)
  }
}

extension Duration {
  /// Such as `90s`, `1.5s` or `0.25s`: milliseconds are what people need of it.
  var brief: String {
    let (seconds, attoseconds) = components
    let thousandths = attoseconds / 1_000_000_000_000_000
    guard thousandths > 0 else { return "\(seconds)s" }
    var fraction = String(1_000 + thousandths).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction)s"
  }
}
