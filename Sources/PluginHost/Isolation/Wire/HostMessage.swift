import Values

/// What a host tells its child host.
enum HostMessage: Hashable, Sendable {
  /// The first message. See ``ChildHello``.
  case hello(ChildHello)
  /// Creates an instance of the offer with this place in the description, and starts it.
  ///
  /// One message rather than two: a plugin that does not take the settings says so as a failure either way.
  /// With `keepsSignals`, what it tells as a controller waits until ``settled(id:number:)`` says that it is taken.
  case begin(id: UInt64, offer: Int, settings: JSONValue, input: JSONValue, keepsSignals: Bool = false)
  /// Creates an instance of the offer with this place in the description, and destroys it at once: what it completes or fails with is
  /// whether the plugin takes the settings.
  case check(id: UInt64, offer: Int, settings: JSONValue)
  /// The same, and asks it in between which instants come: what it completes with is its answer.
  case foresee(id: UInt64, offer: Int, settings: JSONValue, InstantsQuestion)
  case stop(id: UInt64, nanoseconds: UInt64)
  /// Lets go of an instance that has not ended. One that has ended is let go of by the child itself.
  case destroy(id: UInt64)
  /// Answers a request of the child's.
  case answer(request: UInt64, ServiceAnswer)
  /// Asks for a `pong` with the same number, from the thread that calls the plugin.
  case ping(UInt64)
  /// Ends all instances and the process.
  case close
  /// The time has come for which the child asked with this number: see ``LentClock``.
  case woken(UInt64)
  /// So many of the states and reruns that an instance has told are taken.
  case settled(id: UInt64, number: UInt32)

  /// The frame's bytes.
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

  /// What a frame says.
  ///
  /// - Throws: ``WireError`` where it is not a host's, or not whole.
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
