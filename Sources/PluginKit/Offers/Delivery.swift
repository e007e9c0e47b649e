/// The outcome of a state or a rerun that a controller yielded.
public enum Delivery: Sendable, Hashable {
  /// It is kept, and a run will be started for it.
  case kept
  /// It is not kept, because 1,000 of the controller's states and reruns are already waiting, or 100,000 reruns with an instant: the pipeline
  /// cannot keep up. Yield it again later, or drop it. Never returned for an offer with ``Offer/WhenFull/replace``, unless a rerun has an instant.
  case full
  /// It is not kept for another reason: the instance has ended, or the host rejects the value.
  case refused
}

extension OperationControls {
  /// Yields a value as `yield(_:using:)` does, and returns whether it is kept.
  ///
  /// - Parameter value: The value of the state.
  /// - Returns: The outcome. If the operation is in this process rather than in a plugin host, ``Delivery/kept``.
  @discardableResult
  public func deliver(_ value: State.StateValue) -> Delivery {
    var context = context
    let receipt = DeliveryReceipt()
    context.deliveryReceipt = receipt
    yield(value, using: context)
    return receipt.delivery ?? .kept
  }
}
