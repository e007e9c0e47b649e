import Values

/// A message from a child host to its host.
enum ChildMessage: Hashable, Sendable {
  /// The plugin is loaded; with its description, and whether it was compiled with a later minor version of the contract.
  case ready(JSONValue, isNewer: Bool)
  /// The plugin cannot be loaded.
  case refused(PluginError)
  /// An instance ended successfully. The child has released it.
  case completed(id: UInt64, JSONValue?)
  /// An instance failed, or could not be created. The child has released it.
  case failed(id: UInt64, PluginFailure)
  case progressed(id: UInt64, JSONValue)
  case yielded(id: UInt64, PluginSignal)
  case changed(id: UInt64, Bool?, reason: String)
  /// A log line; it belongs to no instance if `id` is 0.
  case logged(id: UInt64, PluginLogLevel, String, JSONValue?)
  /// A request for something that only the host has; answered with the same number.
  case request(number: UInt64, ServiceRequest)
  case pong(UInt64)
  /// Replaces a `pong`: this call of the plugin hangs on another thread than the one that answers. Also sent, as number 0, before the plugin is ready.
  case hanging(ping: UInt64, call: String)
  /// A call of the plugin does not return. The listed instances have begun and not ended; the child will never begin any others that the host sent.
  case stuck(begun: [UInt64])
  /// A request for a `woken` with the same number: see ``LentClock``.
  case wake(number: UInt64, WakeTime)
  /// Cancels that request.
  case cancelWake(number: UInt64)

  /// The bytes of the message's frame.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .ready(let description, let isNewer):
      Frame.append(.ready, id: 0, to: &bytes) {
        $0.append(isNewer ? 1 : 0)
        description.writeExactly(to: &$0)
      }
    case .refused(let error):
      Frame.append(.refused, id: 0, to: &bytes) {
        JSONValue.object(["code": .string(error.code.rawValue), "message": .string(error.message)]).writeExactly(
          to: &$0)
      }
    case .completed(let id, let value): Frame.append(.completed, id: id, to: &bytes) { value?.writeExactly(to: &$0) }
    case .failed(let id, let failure): Frame.append(.failed, id: id, to: &bytes) { failure.json.writeExactly(to: &$0) }
    case .progressed(let id, let progress):
      Frame.append(.progressed, id: id, to: &bytes) { progress.writeExactly(to: &$0) }
    case .yielded(let id, .state(let state)):
      Frame.append(.yieldedState, id: id, to: &bytes) { state.writeExactly(to: &$0) }
    case .yielded(let id, .error(let failure)):
      Frame.append(.yieldedError, id: id, to: &bytes) { failure.json.writeExactly(to: &$0) }
    case .yielded(let id, .rerun(let event)):
      Frame.append(.yieldedRerun, id: id, to: &bytes) { event.writeExactly(to: &$0) }
    case .yielded(let id, .reset): Frame.append(.yieldedReset, id: id, to: &bytes)
    case .yielded(let id, .leftOut(let instants)):
      Frame.append(.leftOut, id: id, to: &bytes) { instants.writeExactly(to: &$0) }
    case .changed(let id, let isSatisfied, let reason):
      Frame.append(.changed, id: id, to: &bytes) {
        $0.appendInteger(isSatisfied.map { $0 ? 1 : 0 } ?? Int8(-1))
        $0.append(contentsOf: reason.utf8)
      }
    case .logged(let id, let level, let message, let fields):
      Frame.append(.logged, id: id, to: &bytes) {
        $0.appendInteger(level.rawValue)
        $0.appendText { $0.append(contentsOf: message.utf8) }
        fields?.writeExactly(to: &$0)
      }
    case .request(let number, let request): Frame.append(.request, id: number, to: &bytes) { request.append(to: &$0) }
    case .pong(let number): Frame.append(.pong, id: number, to: &bytes)
    case .hanging(let ping, let call):
      Frame.append(.hanging, id: ping, to: &bytes) { $0.append(contentsOf: call.utf8) }
    case .stuck(let begun):
      Frame.append(.stuck, id: 0, to: &bytes) { for id in begun { $0.appendInteger(id) } }
    case .wake(let number, let time): Frame.append(.wake, id: number, to: &bytes) { time.append(to: &$0) }
    case .cancelWake(let number): Frame.append(.cancelWake, id: number, to: &bytes)
    }
  }

  /// Reads a message from a frame.
  ///
  /// - Throws: ``WireError`` if the frame is not a child's, or is incomplete.
  init(_ frame: Frame) throws(WireError) {
    var reader = PayloadReader(frame)
    switch frame.kind {
    case .ready:
      let isNewer = try reader.integer(UInt8.self) != 0
      self = .ready(try reader.restJSON(), isNewer: isNewer)
    case .refused:
      let members = try reader.restJSON()
      guard let code = members["code"]?.stringValue.flatMap(PluginError.Code.init),
        let message = members["message"]?.stringValue
      else { throw WireError("a frame 'refused' without a code and a message") }
      self = .refused(PluginError(code, message))
    case .completed: self = .completed(id: frame.id, try reader.restOptionalJSON())
    case .failed: self = .failed(id: frame.id, try Self.failure(&reader))
    case .progressed: self = .progressed(id: frame.id, try reader.restJSON())
    case .yieldedState: self = .yielded(id: frame.id, .state(try reader.restJSON()))
    case .yieldedError: self = .yielded(id: frame.id, .error(try Self.failure(&reader)))
    case .yieldedRerun: self = .yielded(id: frame.id, .rerun(try reader.restJSON()))
    case .yieldedReset: self = .yielded(id: frame.id, .reset)
    case .leftOut: self = .yielded(id: frame.id, .leftOut(try reader.restJSON()))
    case .changed:
      let value = try reader.integer(Int8.self)
      guard (-1...1).contains(value) else { throw WireError("a specification's value of \(value)") }
      self = .changed(id: frame.id, value < 0 ? nil : value == 1, reason: try reader.restText())
    case .logged:
      let number = try reader.integer(Int32.self)
      guard let level = PluginLogLevel(rawValue: number) else {
        throw WireError("a log line of unknown level \(number)")
      }
      let message = try reader.textWithLength()
      self = .logged(id: frame.id, level, message, try reader.restOptionalJSON())
    case .request: self = .request(number: frame.id, try ServiceRequest(&reader))
    case .pong: self = .pong(frame.id)
    case .hanging: self = .hanging(ping: frame.id, call: try reader.restText())
    case .stuck:
      var begun: [UInt64] = []
      while !reader.isAtEnd { begun.append(try reader.integer()) }
      self = .stuck(begun: begun)
    case .wake: self = .wake(number: frame.id, try WakeTime(&reader))
    case .cancelWake: self = .cancelWake(number: frame.id)
    case .hello, .begin, .check, .foresee, .stop, .destroy, .answer, .ping, .close, .woken, .settled:
      throw WireError("a frame '\(frame.kind)', which a child does not send")
    }
    try reader.end()
  }

  private static func failure(_ reader: inout PayloadReader) throws(WireError) -> PluginFailure {
    let json = try reader.restJSON()
    do {
      return try PluginFailure(json)
    } catch {
      throw WireError("an invalid error: \(error.reason)")
    }
  }
}
