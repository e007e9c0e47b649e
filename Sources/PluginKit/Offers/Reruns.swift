extension OperationContext {
  private enum RerunEventKey: Key { static let defaultValue: JSONValue? = nil }

  /// The event of a rerun, which the run finds in `run.event`.
  var rerunEvent: JSONValue? {
    get { self[RerunEventKey.self] }
    set { self[RerunEventKey.self] = newValue }
  }
}

extension OperationControls {
  /// Requests another run, with a reason. If `canYieldRerun` is false, it does nothing and returns ``Delivery/refused``.
  ///
  /// - Parameters:
  ///   - reason: One line for people, such as `every 5m`; nil for none.
  ///   - instant: The instant that the run belongs to, if any. Of several reruns of a pipeline for the same instant, only the first starts a run,
  ///     whatever host it reaches; so choose it the same way each time.
  ///   - fields: Further members of `run.event`.
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
