/// A state that wraps another one, for which what was said about the other one goes on to hold.
protocol DefaultedState: OperationState {
  associatedtype Base: OperationState where Base.OperationValue == OperationValue, Base.Failure == Failure

  var base: Base { get set }
}

extension OperationState {
  /// This state, or one that it wraps, as a `Wanted`; nil when neither is one.
  func unwrapped<Wanted: OperationState>(to _: Wanted.Type) -> Wanted? {
    if let wanted = self as? Wanted { return wanted }
    guard let defaulted = self as? any DefaultedState else { return nil }
    return defaulted.base.unwrapped(to: Wanted.self)
  }
}
