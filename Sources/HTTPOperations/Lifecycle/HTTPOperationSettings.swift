/// What an ``HTTPOperation`` is made of: one reference, which copies share until one of them changes something.
struct HTTPOperationSettings<Value: Sendable>: Sendable {
  struct Parts: Sendable {
    var request: HTTPTransferRequest
    var transport: any HTTPTransport
    var requestProcessors: [any HTTPRequestProcessor] = []
    var validators: [any HTTPResponseValidator] = [HTTPStatusValidator()]
    var result: any HTTPResultProcessor<Value>
    var retryProviders: [any HTTPRetryProvider] = [HTTPDefaultRetryProvider()]
    var retry = HTTPRetrySettings()
    var peers = HTTPPeers.shared
  }

  private final class Storage: @unchecked Sendable {
    // @unchecked: changed only where there is no other reference to it.

    var parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  private var storage: Storage

  init(request: HTTPTransferRequest, transport: any HTTPTransport, result: any HTTPResultProcessor<Value>) {
    storage = Storage(Parts(request: request, transport: transport, result: result))
  }

  var parts: Parts {
    get { storage.parts }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.parts) }
      yield &storage.parts
    }
  }
}

extension HTTPOperation {
  /// The original request, which every attempt starts from.
  public var request: HTTPTransferRequest {
    get { settings.parts.request }
    set { settings.parts.request = newValue }
  }

  /// What carries it.
  public var transport: any HTTPTransport {
    get { settings.parts.transport }
    set { settings.parts.transport = newValue }
  }

  /// What prepares it before each attempt, in their order. None by default.
  public var requestProcessors: [any HTTPRequestProcessor] {
    get { settings.parts.requestProcessors }
    set { settings.parts.requestProcessors = newValue }
  }

  /// What judges the head of the response, in their order. By default, a status of 200 to 299 is welcome.
  public var validators: [any HTTPResponseValidator] {
    get { settings.parts.validators }
    set { settings.parts.validators = newValue }
  }

  /// What makes the value.
  public var result: any HTTPResultProcessor<Value> {
    get { settings.parts.result }
    set { settings.parts.result = newValue }
  }

  /// What says whether a failure is tried again, in their order. ``HTTPDefaultRetryProvider`` by default.
  public var retryProviders: [any HTTPRetryProvider] {
    get { settings.parts.retryProviders }
    set { settings.parts.retryProviders = newValue }
  }

  /// How often, and when.
  public var retry: HTTPRetrySettings {
    get { settings.parts.retry }
    set { settings.parts.retry = newValue }
  }

  /// What the operation knows of others. ``HTTPPeers/shared`` by default.
  public var peers: HTTPPeers {
    get { settings.parts.peers }
    set { settings.parts.peers = newValue }
  }
}
