/// What an ``HTTPOperation`` is made of.
struct HTTPOperationSettings<Value: Sendable>: Sendable {
  var request: HTTPTransferRequest
  var transport: any HTTPTransport
  var requestProcessors: [any HTTPRequestProcessor] = []
  var validators: [any HTTPResponseValidator] = [HTTPStatusValidator()]
  var result: any HTTPResultProcessor<Value>
  var retryProviders: [any HTTPRetryProvider] = [HTTPDefaultRetryProvider()]
  var retry = HTTPRetrySettings()
  var peers = HTTPPeers.shared
  var onBegin: (@Sendable () -> Void)?
}

extension HTTPOperation {
  /// The original request, which every attempt starts from.
  public var request: HTTPTransferRequest {
    get { settings.value.request }
    set { settings.value.request = newValue }
  }

  /// What carries it.
  public var transport: any HTTPTransport {
    get { settings.value.transport }
    set { settings.value.transport = newValue }
  }

  /// What prepares it before each attempt, in their order. None by default.
  public var requestProcessors: [any HTTPRequestProcessor] {
    get { settings.value.requestProcessors }
    set { settings.value.requestProcessors = newValue }
  }

  /// What judges the head of the response, in their order. By default, a status of 200 to 299 is welcome.
  public var validators: [any HTTPResponseValidator] {
    get { settings.value.validators }
    set { settings.value.validators = newValue }
  }

  /// What makes the value.
  public var result: any HTTPResultProcessor<Value> {
    get { settings.value.result }
    set { settings.value.result = newValue }
  }

  /// What says whether a failure is tried again, in their order. ``HTTPDefaultRetryProvider`` by default.
  public var retryProviders: [any HTTPRetryProvider] {
    get { settings.value.retryProviders }
    set { settings.value.retryProviders = newValue }
  }

  /// How often, and when.
  public var retry: HTTPRetrySettings {
    get { settings.value.retry }
    set { settings.value.retry = newValue }
  }

  /// Called in each attempt, on any thread, when its request has the socket or connection that it needs.
  package var onBegin: (@Sendable () -> Void)? {
    get { settings.value.onBegin }
    set { settings.value.onBegin = newValue }
  }

  /// What the operation knows of others. ``HTTPPeers/shared`` by default.
  public var peers: HTTPPeers {
    get { settings.value.peers }
    set { settings.value.peers = newValue }
  }
}
