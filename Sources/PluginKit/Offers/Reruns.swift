extension OperationContext {
  private enum RerunEventKey: Key { static let defaultValue: JSONValue? = nil }

  /// Why a rerun is asked for; what a run finds in `run.event`.
  var rerunEvent: JSONValue? {
    get { self[RerunEventKey.self] }
    set { self[RerunEventKey.self] = newValue }
  }
}

extension OperationControls {
  /// Asks for another run, and says why. Does nothing when `canYieldRerun` is false.
  ///
  /// - Parameters:
  ///   - reason: One line for people, such as `every 5m`; nil for none.
  ///   - instant: The instant that the run belongs to, where there is one: of several reruns of a pipeline for the same
  ///     instant only the first one starts a run, whatever host it reaches, so choose it the same way each time.
  ///   - fields: What else the run shall find in `run.event`.
  public func rerun(reason: String? = nil, at instant: Timestamp? = nil, fields: [String: JSONValue] = [:]) {
    var event: JSONMembers = [:]
    event["reason"] = reason.map { .string($0) }
    event["instant"] = instant.map { .string($0.notation) }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where event[name] == nil { event[name] = value }
    var context = context
    context.rerunEvent = .object(event)
    yieldRerunTask(with: context)?.start()
  }
}
