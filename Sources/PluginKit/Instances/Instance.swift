/// An instance of an offer, driven through the contract. The host never calls two of its functions at the same time.
protocol Instance: AnyObject, Sendable {
  func start(_ input: JSONValue)
  func stop(within time: Duration)
  func destroy()
  /// Returns the coming instants in the contract's format; nil if they cannot be known.
  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue?
}

extension Instance {
  func instants(in span: PlannedSpan, _ input: JSONValue) throws -> JSONValue? { nil }
}

/// The host's reference to an instance.
final class InstanceBox: Sendable {
  let instance: any Instance
  private let handle: InstanceHandle

  init(_ instance: any Instance, _ handle: InstanceHandle) {
    self.instance = instance
    self.handle = handle
  }

  /// Ends the instance; once this returns, the host is not called about it any more.
  func destroy() {
    instance.destroy()
    handle.close()
  }
}
