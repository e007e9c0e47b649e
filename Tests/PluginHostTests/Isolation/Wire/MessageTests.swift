import Testing
import Values

@testable import PluginHost

@Suite("Messages between a host and its child host")
struct MessageTests {
  /// One message of each kind from a host.
  static let host: [HostMessage] = [
    .hello(ChildHello(path: "/lib/echo.so", memory: 1 << 29, descriptors: 256)),
    .hello(ChildHello(path: "/lib/echo.so", memory: 1, descriptors: 1, clock: .host)), .woken(8),
    .begin(id: 9, offer: 0, settings: ["x": .double(1)], input: .double(-0.0)),
    .begin(id: 1, offer: 2, settings: ["from": "08:00"], input: ["requirement": [1, 2.5, "drei", true]]),
    .check(id: 8, offer: 0, settings: ["from": "08:00"]), .stop(id: 3, nanoseconds: .max), .destroy(id: 4),
    .foresee(
      id: 8, offer: 0, settings: ["from": "08:00"],
      InstantsQuestion(input: ["directory": "/d"], after: .min, until: .max, limit: 10_000)),
    .answer(request: 5, ServiceAnswer(.ok, "geheim")),
    .answer(request: 6, ServiceAnswer(.denied)), .ping(7), .close,
  ]

  /// One message of each kind from a child.
  static let child: [ChildMessage] = [
    .ready(["id": "echo"], isNewer: true), .refused(PluginError(.openFailed, "no")), .completed(id: 1, nil),
    .completed(id: 2, ["a": [1]]),
    .failed(
      id: 3, PluginFailure(code: "quota", message: "later", retryAfter: .milliseconds(1500), detail: ["left": 0])),
    .progressed(id: 4, ["fraction": 0.25]), .yielded(id: 5, .state("x")),
    .yielded(id: 6, .error(PluginFailure(code: "e", message: "m"))), .yielded(id: 7, .rerun([:])),
    .yielded(id: 8, .reset), .yielded(id: 8, .leftOut(["reason": "host-down"])), .changed(id: 9, true, reason: "so"),
    .changed(id: 10, nil, reason: ""),
    .logged(id: 0, .warning, "Zeile", nil), .logged(id: 11, .debug, "", ["k": 1]),
    .request(number: 12, ServiceRequest(instance: 1, .secret("token"))),
    .request(number: 13, ServiceRequest(instance: 1, .value(key: "k"))),
    .request(number: 14, ServiceRequest(instance: 1, .set(key: "k", ["v": 1]))),
    .request(number: 15, ServiceRequest(instance: 1, .set(key: "k", nil))),
    .request(number: 16, ServiceRequest(instance: 1, .keys(prefix: ""))), .pong(17),
    .hanging(ping: 18, call: "'start' of operation 'echo'"), .wake(number: 19, .at(.max)), .wake(number: 20, .after(1)),
    .cancelWake(number: 21), .stuck(begun: []), .stuck(begun: [23, .max]), .completed(id: 22, .double(0)),
  ]

  private func frame(_ bytes: [UInt8]) throws -> Frame {
    var decoder = FrameDecoder()
    bytes.withUnsafeBytes { decoder.append($0) }
    let frame = try #require(try decoder.next())
    #expect(decoder.pending == 0)
    return frame
  }

  @Test("a host's message is decoded unchanged, and is not valid from a child", arguments: host)
  func hostMessage(message: HostMessage) throws {
    let frame = try frame(message.bytes)
    #expect(try HostMessage(frame) == message)
    #expect(throws: WireError("a frame '\(frame.kind)', which a child does not send")) { try ChildMessage(frame) }
  }

  @Test("a child's message is decoded unchanged, and is not valid from a host", arguments: child)
  func childMessage(message: ChildMessage) throws {
    let frame = try frame(message.bytes)
    #expect(try ChildMessage(frame) == message)
    #expect(throws: WireError("a frame '\(frame.kind)', which a host does not send")) { try HostMessage(frame) }
  }

  @Test("a child host of another version reports that")
  func version() {
    var members = ChildHello(path: "/x.so", memory: 1, descriptors: 1).members.objectValue ?? [:]
    members["version"] = 2
    #expect(throws: WireError("messages of version 2, but this child host uses version 1")) {
      try ChildHello(members: .object(members))
    }
  }

  @Test(
    "an incomplete, excessive or invalid message is refused by name",
    arguments: [
      (Frame(kind: .stop, id: 1, payload: [1, 2]), "a frame 'stop' that is too short"),
      (Frame(kind: .ping, id: 1, payload: [1]), "a frame 'ping' with 1 bytes too many"),
      (
        Frame(kind: .begin, id: 1, payload: [0, 0, 0, 0, 9, 0, 0, 0, 1]),
        "a frame 'begin' whose parts do not fit into it"
      ),
      (Frame(kind: .hello, id: 0, payload: Array("{".utf8)), "a frame 'hello' that is not JSON: "),
      (Frame(kind: .answer, id: 0, payload: [9]), "an answer of unknown status 9"),
      (Frame(kind: .answer, id: 0, payload: [0, 0xFF]), "a frame 'answer' with a text that is not UTF-8"),
    ])
  func hostRefusals(frame: Frame, message: String) {
    let error = #expect(throws: WireError.self) { try HostMessage(frame) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "none")")
  }

  @Test(
    "a child is trusted no more than a host",
    arguments: [
      (Frame(kind: .changed, id: 1, payload: [2]), "a specification's value of 2"),
      (Frame(kind: .failed, id: 1, payload: Array("{}".utf8)), "an invalid error: it has no \"code\""),
      (Frame(kind: .logged, id: 1, payload: [4, 0, 0, 0, 0, 0, 0, 0]), "a log line of unknown level 4"),
      (Frame(kind: .refused, id: 1, payload: Array("{}".utf8)), "a frame 'refused' without a code and a message"),
      (
        Frame(kind: .request, id: 1, payload: Array(repeating: 0, count: 13)), "a request to an unknown service 0"
      ),
      (Frame(kind: .wake, id: 1, payload: Array(repeating: 7, count: 9)), "an invalid wake-up time: 7"),
    ])
  func childRefusals(frame: Frame, message: String) {
    #expect(throws: WireError(message)) { try ChildMessage(frame) }
  }
}
