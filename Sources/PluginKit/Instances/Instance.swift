/// One instance of an offer, as the contract drives it. The host never calls two of its functions at the same time.
protocol Instance: AnyObject, Sendable {
  func start(_ input: JSONValue)
  func stop(within time: Duration)
  func destroy()
  /// What comes, as the contract has it; nil where nobody can know it.
  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue?
}

extension Instance {
  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue? { nil }
}

/// What the host holds of an instance.
final class InstanceBox: Sendable {
  let instance: any Instance
  private let handle: InstanceHandle

  init(_ instance: any Instance, _ handle: InstanceHandle) {
    self.instance = instance
    self.handle = handle
  }

  /// Ends whatever goes on; when this returns nothing is told of the instance any more.
  func destroy() {
    instance.destroy()
    handle.close()
  }
}
