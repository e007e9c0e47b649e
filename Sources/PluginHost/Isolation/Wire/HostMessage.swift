import Values

/// A message from a host to its child host.
enum HostMessage: Hashable, Sendable {
  /// The first message. See ``ChildHello``.
  case hello(ChildHello)
  /// Creates an instance of the offer with this index in the description, and starts it.
  ///
  /// One message suffices: a plugin that rejects the settings reports a failure either way. With `keepsSignals`, the signals that it yields as a
  /// controller wait until ``settled(id:number:)`` reports them as taken.
  case begin(id: UInt64, offer: Int, settings: JSONValue, input: JSONValue, keepsSignals: Bool = false)
  /// Creates an instance of the offer with this index in the description, and destroys it at once: it completes if the plugin accepts the settings,
  /// and otherwise fails.
  case check(id: UInt64, offer: Int, settings: JSONValue)
  /// The same, but asks the instance for its coming instants before destroying it: it completes with the answer.
  case foresee(id: UInt64, offer: Int, settings: JSONValue, InstantsQuestion)
  case stop(id: UInt64, nanoseconds: UInt64)
  /// Releases an instance that has not ended. The child itself releases one that has ended.
  case destroy(id: UInt64)
  /// Answers a request of the child.
  case answer(request: UInt64, ServiceAnswer)
  /// Requests a `pong` with the same number, from the thread that calls the plugin.
  case ping(UInt64)
  /// Ends all instances and the process.
  case close
  /// The wake-up that the child requested with this number is due: see ``LentClock``.
  case woken(UInt64)
  /// This many of an instance's states and reruns were taken.
  case settled(id: UInt64, number: UInt32)

  /// The bytes of the message's frame.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .hello(let hello): Frame.append(.hello, id: 0, to: &bytes) { hello.members.writeExactly(to: &$0) }
    case .begin(let id, let offer, let settings, let input, let keepsSignals):
      Frame.append(.begin, id: id, to: &bytes) {
        $0.appendInteger(UInt32(clamping: offer))
        $0.append(keepsSignals ? 1 : 0)
        $0.appendText { settings.writeExactly(to: &$0) }
        input.writeExactly(to: &$0)
      }
    case .check(let id, let offer, let settings):
      Frame.append(.check, id: id, to: &bytes) {
        $0.appendInteger(UInt32(clamping: offer))
        settings.write(to: &$0)
      }
    case .foresee(let id, let offer, let settings, let question):
      Frame.append(.foresee, id: id, to: &bytes) {
        $0.appendInteger(UInt32(clamping: offer))
        $0.appendInteger(question.after)
        $0.appendInteger(question.until)
        $0.appendInteger(UInt32(clamping: question.limit))
        $0.appendText { settings.writeExactly(to: &$0) }
        question.input.writeExactly(to: &$0)
      }
    case .stop(let id, let nanoseconds): Frame.append(.stop, id: id, to: &bytes) { $0.appendInteger(nanoseconds) }
    case .destroy(let id): Frame.append(.destroy, id: id, to: &bytes)
    case .answer(let request, let answer):
      Frame.append(.answer, id: request, to: &bytes) {
        $0.append(answer.status.rawValue)
        $0.append(contentsOf: answer.value.utf8)
      }
    case .ping(let number): Frame.append(.ping, id: number, to: &bytes)
    case .close: Frame.append(.close, id: 0, to: &bytes)
    case .woken(let number): Frame.append(.woken, id: number, to: &bytes)
    case .settled(let id, let number): Frame.append(.settled, id: id, to: &bytes) { $0.appendInteger(number) }
    }
  }

  /// Reads a message from a frame.
  ///
  /// - Throws: ``WireError`` if the frame is not a host's, or is incomplete.
  init(_ frame: Frame) throws(WireError) {
    var reader = PayloadReader(frame)
    switch frame.kind {
    case .hello: self = .hello(try ChildHello(members: reader.restJSON()))
    case .begin:
      let offer = Int(try reader.integer(UInt32.self))
      let keepsSignals = try reader.integer(UInt8.self) != 0
      let settings = try reader.jsonWithLength()
      self = .begin(
        id: frame.id, offer: offer, settings: settings, input: try reader.restJSON(), keepsSignals: keepsSignals)
    case .check:
      let offer = Int(try reader.integer(UInt32.self))
      self = .check(id: frame.id, offer: offer, settings: try reader.restJSON())
    case .foresee:
      let offer = Int(try reader.integer(UInt32.self))
      let (after, until) = (try reader.integer(Int64.self), try reader.integer(Int64.self))
      let limit = Int(try reader.integer(UInt32.self))
      let settings = try reader.jsonWithLength()
      let question = InstantsQuestion(input: try reader.restJSON(), after: after, until: until, limit: limit)
      self = .foresee(id: frame.id, offer: offer, settings: settings, question)
    case .stop: self = .stop(id: frame.id, nanoseconds: try reader.integer())
    case .destroy: self = .destroy(id: frame.id)
    case .answer:
      let byte = try reader.integer(UInt8.self)
      guard let status = ServiceAnswer.Status(rawValue: byte) else {
        throw WireError("an answer of unknown status \(byte)")
      }
      self = .answer(request: frame.id, ServiceAnswer(status, try reader.restText()))
    case .ping: self = .ping(frame.id)
    case .close: self = .close
    case .woken: self = .woken(frame.id)
    case .settled: self = .settled(id: frame.id, number: try reader.integer())
    case .ready, .refused, .completed, .failed, .progressed, .yieldedState, .yieldedError, .yieldedRerun, .yieldedReset,
      .leftOut, .changed, .logged, .request, .pong, .hanging, .stuck, .wake, .cancelWake:
      throw WireError("a frame '\(frame.kind)', which a host does not send")
    }
    try reader.end()
  }
}
