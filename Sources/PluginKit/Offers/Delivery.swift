/// What has become of a state or a rerun that a controller told.
public enum Delivery: Sendable, Hashable {
  /// It is kept, and a run will be started for it.
  case kept
  /// It is not kept, because 1,000 of the controller's states and reruns wait already, or 100,000 reruns with an instant: the pipeline cannot keep up. Tell
  /// it again later, or not at all. Never for an offer with ``Offer/WhenFull/replace``, unless a rerun has an instant.
  case full
  /// It is not kept for another reason: the instance has ended, or the value is not what the host takes.
  case refused
}

extension OperationControls {
  /// Yields a value as `yield(_:using:)` does, and says whether it is kept.
  ///
  /// - Parameter value: The value, as the state has it.
  /// - Returns: What has become of it. Where the operation is in this process, and not in the host of a plugin, ``Delivery/kept``.
  @discardableResult
  public func deliver(_ value: State.StateValue) -> Delivery {
    var context = context
    let receipt = DeliveryReceipt()
    context.deliveryReceipt = receipt
    yield(value, using: context)
    return receipt.delivery ?? .kept
  }
}
