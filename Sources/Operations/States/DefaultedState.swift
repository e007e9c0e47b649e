/// A state that wraps another one and accepts its controllers and predicates.
protocol DefaultedState: OperationState {
  associatedtype Base: OperationState where Base.OperationValue == OperationValue, Base.Failure == Failure

  var base: Base { get set }
}

extension OperationState {
  /// Returns this state, or one that it wraps, as a `Wanted`; nil if none of them is one.
  func unwrapped<Wanted: OperationState>(to _: Wanted.Type) -> Wanted? {
    if let wanted = self as? Wanted { return wanted }
    guard let defaulted = self as? any DefaultedState else { return nil }
    return defaulted.base.unwrapped(to: Wanted.self)
  }
}
