/// The settings of an ``HTTPOperation``.
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
  /// The original request, from which every attempt starts.
  public var request: HTTPTransferRequest {
    get { settings.value.request }
    set { settings.value.request = newValue }
  }

  /// The transport.
  public var transport: any HTTPTransport {
    get { settings.value.transport }
    set { settings.value.transport = newValue }
  }

  /// The processors that prepare the request before each attempt, in order. Defaults to none.
  public var requestProcessors: [any HTTPRequestProcessor] {
    get { settings.value.requestProcessors }
    set { settings.value.requestProcessors = newValue }
  }

  /// The validators of the response's head, in order. Defaults to accepting statuses 200 to 299.
  public var validators: [any HTTPResponseValidator] {
    get { settings.value.validators }
    set { settings.value.validators = newValue }
  }

  /// The processor that produces the value.
  public var result: any HTTPResultProcessor<Value> {
    get { settings.value.result }
    set { settings.value.result = newValue }
  }

  /// The providers that decide whether to retry a failure, in order. Defaults to ``HTTPDefaultRetryProvider``.
  public var retryProviders: [any HTTPRetryProvider] {
    get { settings.value.retryProviders }
    set { settings.value.retryProviders = newValue }
  }

  /// How often, and when, to retry.
  public var retry: HTTPRetrySettings {
    get { settings.value.retry }
    set { settings.value.retry = newValue }
  }

  /// Called in each attempt, on any thread, when its request has the socket or connection that it needs.
  package var onBegin: (@Sendable () -> Void)? {
    get { settings.value.onBegin }
    set { settings.value.onBegin = newValue }
  }

  /// Shares news of successful requests with other operations. Defaults to ``HTTPPeers/shared``.
  public var peers: HTTPPeers {
    get { settings.value.peers }
    set { settings.value.peers = newValue }
  }
}
