extension OperationContext {
  private enum RerunEventKey: Key { static let defaultValue: JSONValue? = nil }

  /// Why a rerun is asked for; what a run finds in `run.event`.
  var rerunEvent: JSONValue? {
    get { self[RerunEventKey.self] }
    set { self[RerunEventKey.self] = newValue }
  }
}

extension OperationControls {
  /// Asks for another run, and says why. Does nothing but to return ``Delivery/refused`` when `canYieldRerun` is false.
  ///
  /// - Parameters:
  ///   - reason: One line for people, such as `every 5m`; nil for none.
  ///   - instant: The instant that the run belongs to, where there is one: of several reruns of a pipeline for the same
  ///     instant only the first one starts a run, whatever host it reaches, so choose it the same way each time.
  ///   - fields: What else the run shall find in `run.event`.
  /// - Returns: Whether the host keeps it until its run begins.
  @discardableResult
  public func rerun(
    reason: String? = nil, at instant: Timestamp? = nil, fields: [String: JSONValue] = [:]
  ) -> Delivery {
    var event: JSONMembers = [:]
    event["reason"] = reason.map { .string($0) }
    event["instant"] = instant.map { .string($0.notation) }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where event[name] == nil { event[name] = value }
    var context = context
    let receipt = DeliveryReceipt()
    context.rerunEvent = .object(event)
    context.deliveryReceipt = receipt
    let task = yieldRerunTask(with: context)
    task?.start()
    return receipt.delivery ?? (task == nil ? .refused : .kept)
  }
}
