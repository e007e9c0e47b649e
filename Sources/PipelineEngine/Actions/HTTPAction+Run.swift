import Expressions
import HTTPOperations
import Operations
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

extension HTTPAction: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await HTTPAttempt(run: run, ordinal: ordinal, action: self).perform()
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) throws {
    for path in readFiles {
      let path = try path.evaluate(in: contexts).injectedText
      let absolute = path.hasPrefix("/") ? path : "\(HTTPAttempt.directory(of: run))/\(path)"
      inputs.add("file \(path)", FileStamp(absolute)?.text ?? "missing")
    }
  }

  var goesOnAcrossHosts: Bool { false }

  func retryWakers(_ ordinal: Int, of run: Run) -> [any RetryWaker] {
    let latest = HTTPLatestFailure()
    run.waits.httpFailures[ordinal] = latest
    return HTTPEarlyWaker.wakers(
      of: early, latest: latest, peers: run.services.http.peers, context: run.services.context)
  }

  func retryEvents(_ ordinal: Int, of run: Run) -> [OperationReason.Early] {
    guard let failure = run.waits.httpFailures[ordinal]?.failure else { return [] }
    let endpoint = failure.endpoint
    var events: [OperationReason.Early] = []
    if early.endpoint || early.network {
      events.append(.event("reachable", "\(endpoint.host):\(endpoint.port) is reachable again"))
    }
    if early.peerSuccess, failure.isUnreachable {
      events.append(.event("peer-success", "another request to \(endpoint) succeeds"))
    }
    return events
  }

  func retryDecision(after error: any Error) -> RetryDecision {
    guard let failure = error as? OperationFailure else { return .stop(reason: OperationDefinition.notListed) }
    if let reason = failure.stopReason { return .stop(reason: reason) }
    // No request was sent, or the response was not as required: the next attempt would end the same way.
    guard failure.httpEndpoint != nil || failure.code == "timeout" else {
      return .stop(reason: "another attempt would also end with \(failure.code)")
    }
    return .noOpinion
  }

  var refusesRetries: Bool { !retriesAnything }

  /// The paths of the files whose content it sends, or in which it finds its credentials.
  private var readFiles: [Template] {
    let sent: [Template] =
      switch body {
      case .file(let path): [path]
      case .form(let fields):
        fields.compactMap { field in
          if case .file(let path) = field.value { path } else { nil }
        }
      case .none, .text, .json, .report: []
      }
    if case .netrc(let path) = authorization { return sent + [path] }
    return sent
  }
}

/// `http`: one request per attempt. Retries are the engine's; what the request itself determines about them is in the failure.
private struct HTTPAttempt {
  let run: Run
  let ordinal: Int
  let action: HTTPAction

  /// The request, and the file that its response is saved to; nil if the response stays in memory.
  private struct Exchange {
    var request: HTTPTransferRequest
    var download: HTTPDownload?
  }

  private enum Response {
    case received(HTTPTransferResult)
    case saved(HTTPDownloadedFile)
  }

  /// How messages call the step that waits for a descriptor, a thread or memory.
  private static let beginning = "sending the request"

  /// Sends a request, and converts the response to the operation's result.
  nonisolated(nonsending) func perform() async throws -> OperationResult {
    let node = run.state.instances[ordinal].node
    switch try await response() {
    case .received(let response): return try await received(response, node)
    case .saved(let file): return try saved(file, node)
    }
  }

  /// Sends the request. If it lacks a descriptor before anything is sent, it waits for one, as a process does.
  private nonisolated(nonsending) func response() async throws -> Response {
    let start = AttemptStart(of: run, ordinal)
    defer {
      start.end()
      if !run.services.shortages.isEmpty {
        run.services.loop.execute { [shortages = run.services.shortages] in shortages.noticeGivenBack() }
      }
    }
    var prepared: Exchange?
    while true {
      do {
        try start.requireTurn(for: Self.beginning)
        let exchange = if let prepared { prepared } else { try await prepare() }
        prepared = exchange
        return try await send(exchange, start)
      } catch let error as EngineError where run.isWaitedOut(error) {
        try await start.wait(for: error)
      }
    }
  }

  /// Creates the request from its expressions, which are evaluated once.
  private nonisolated(nonsending) func prepare() async throws -> Exchange {
    let (node, contexts) = (run.state.instances[ordinal].node, run.contexts(ordinal))
    let builder = HTTPActionRequest(action: action, directory: Self.directory(of: run))
    let report = action.isReport ? RunReport(of: run, for: action, contexts) : nil
    let prepared: HTTPActionRequest.Prepared
    do {
      prepared = try builder.transfer(in: contexts, report: report)
    } catch let error as HTTPEncodingError {
      if run.services.writing.isHolding, let number = error.shortage {
        throw EngineError.systemCall(Self.beginning, number)
      }
      throw OperationFailure(code: error.code.rawValue, message: "http: \(error.message)")
    }
    let download = try action.saveTo.map { try self.download(to: builder.path($0, in: contexts), contexts) }
    run.dropReadings(ordinal)
    return Exchange(request: try await httpRequest(prepared, node), download: download)
  }

  private nonisolated(nonsending) func send(_ exchange: Exchange, _ start: AttemptStart) async throws -> Response {
    let request = exchange.request
    // What can start the next attempt early has to know the endpoint even if the attempt times out.
    if let endpoint = try? HTTPURL(request.url).endpoint {
      run.waits.httpFailures[ordinal]?.failure = HTTPLatestFailure.Failure(endpoint: endpoint, isUnreachable: false)
    }
    if let download = exchange.download {
      return .saved(try await attempt(HTTPOperation(request, by: run.services.http.client, to: download), start))
    }
    return .received(try await attempt(HTTPOperation(request, by: run.services.http.client, to: .response), start))
  }

  private func download(to path: String, _ contexts: RunContexts) throws -> HTTPDownload {
    var download = HTTPDownload(to: path, collision: action.collision)
    guard let text = try action.checksum?.evaluate(in: contexts).injectedText else { return download }
    guard let checksum = HTTPChecksum(text) else {
      throw OperationFailure(
        code: "value-mismatch",
        message: "http: '\(text.escapedForMessage)' is not a checksum such as 'sha256:…' with its 64 digits")
    }
    download.checksum = checksum
    return download
  }

  /// Returns the directory that relative paths of requests are resolved against.
  static func directory(of run: Run) -> String {
    let directory = run.state.pipeline.source.directory
    if directory.hasPrefix("/") { return directory }
    return directory.isEmpty ? run.services.directory : "\(run.services.directory)/\(directory)"
  }

  private nonisolated(nonsending) func attempt<Value: Sendable>(
    _ operation: HTTPOperation<Value>, _ start: AttemptStart
  ) async throws -> Value {
    var operation = operation
    operation.validators = [
      action.statuses.map { HTTPStatusValidator($0.codes, expectation: $0.text) } ?? HTTPStatusValidator()
    ]
    if !action.types.isEmpty {
      operation.validators.append(HTTPMediaTypeValidator(action.types.compactMap { MediaTypePattern($0) }))
    }
    // The engine's own wakers get the endpoint from the failure, and appear in the history.
    operation.retryProviders = [
      HTTPDefaultRetryProvider(nonIdempotent: action.retriesAnything ? .always : .never, early: .none)
    ]
    operation.peers = run.services.http.peers
    let (loop, beginning) = (run.services.loop, LoopBound(RequestBeginning(start)))
    defer { beginning.value.start = nil }
    operation.onBegin = { loop.execute { beginning.value.start?.begun() } }
    do {
      return try await OperationRunner(operation.attempt, context: run.services.context).run(isolation: #isolation)
    } catch let error as HTTPOperationError {
      if run.services.writing.isHolding, let number = error.shortage {
        throw EngineError.systemCall(Self.beginning, number)
      }
      throw failure(error)
    }
  }

  private func failure(_ error: HTTPOperationError) -> OperationFailure {
    if let endpoint = error.endpoint {
      var isUnreachable = false
      if case .transfer(let failure) = error.cause {
        isUnreachable = failure.isUnreachable
      }
      run.waits.httpFailures[ordinal]?.failure = HTTPLatestFailure.Failure(
        endpoint: endpoint, isUnreachable: isUnreachable)
    }
    if !error.body.isEmpty { logExcerpt(error.body, isWhole: error.hasWholeBody) }
    var failure = OperationFailure(code: error.code, message: error.description)
    if failure.code == HTTPTransferError.Code.bodyTooLarge.rawValue {
      failure.message += " with 'limits: {body: …}'" + (action.saveTo == nil ? ", or save it with 'save_to'" : "")
    }
    failure.httpStatus = error.head?.status.code
    failure.retryAfter = error.retryAfter
    switch error.verdict {
    case .retry: failure.httpEndpoint = error.endpoint
    case .stop(let reason): failure.stopReason = reason
    }
    return failure
  }

  /// Returns the request of an attempt, after adding its secrets to the masker.
  private nonisolated(nonsending) func httpRequest(
    _ prepared: HTTPActionRequest.Prepared, _ node: OperationNode
  ) async throws -> HTTPTransferRequest {
    run.state.given.masker.add(prepared.credentials)
    var request = prepared.request
    if let body = prepared.largeBody { request.body = .bytes(try await BlockingWork.run { try body.bytes() }) }
    // By value, wherever in the body it came from. Only the body of an operation that can receive a secret is searched.
    let masker = run.state.given.masker
    if node.definition.receivesSecret, !masker.isEmpty, case .bytes(let body) = request.body {
      request.options.keepsBodyAtOrigin = await BlockingWork.run(if: body.count > BlockingWork.large) {
        masker.mask(body) != body
      }
    }
    return request
  }

  /// Writes the server's message about its failure to the log, for `penstock logs`.
  private func logExcerpt(_ body: [UInt8], isWhole: Bool) {
    let log = PluginLog(run: run, ordinal: ordinal)
    // Masked before decoding: half a character at the end is not part of a secret, but half a secret would be visible.
    let masked = isWhole ? run.state.given.masker.mask(body) : run.state.given.masker.maskBeginning(body)
    let text = String(decoding: masked, as: UTF8.self)
    log.write([text.last == "\n" ? String(text.dropLast()) : text])
    log.close()
  }

  private func saved(_ file: HTTPDownloadedFile, _ node: OperationNode) throws -> OperationResult {
    switch node.definition.result {
    case .some(.none): return .none
    case .some(.file): return .value(.string(file.path))
    default:
      var members = Self.members(of: file.head)
      members["path"] = .string(file.path)
      members["size"] = .int(file.length)
      return .value(try run.secrets.without(.object(members), of: node))
    }
  }

  private nonisolated(nonsending) func received(_ response: HTTPTransferResult, _ node: OperationNode) async throws
    -> OperationResult
  {
    let type = node.definition.result
    if type == ValueType.none { return .none }
    let isLarge = response.body.count > BlockingWork.large
    let body = try await BlockingWork.run(if: isLarge) { try HTTPBodyValue.value(of: response, as: type) }
    guard type == nil else { return .value(try await run.withoutSecrets(body, of: node, isLarge: isLarge)) }
    var members = Self.members(of: response.head)
    members["body"] = body
    return .value(try await run.withoutSecrets(.object(members), of: node, isLarge: isLarge))
  }

  /// Returns `status` and `headers`, without the cookies that are set, which are the server's secrets.
  private static func members(of head: HTTPResponseHead) -> OrderedDictionary<String, JSONValue> {
    var headers: OrderedDictionary<String, JSONValue> = [:]
    for field in head.fields where field.name.canonicalName != "set-cookie" {
      let name = field.name.canonicalName
      let earlier = headers[name]?.stringValue.map { "\($0), " } ?? ""
      headers[name] = .string(earlier + field.value)
    }
    return ["status": .int(Int64(head.status.code)), "headers": .object(headers)]
  }
}

/// Marks a request as begun until it is over: this may be reported later, when the attempt is queued again. *On the event loop.*
private final class RequestBeginning {
  var start: AttemptStart?

  init(_ start: AttemptStart) { self.start = start }
}
