import OrderedCollections
import Values

/// How an attempt ended, as its worker writes it to `end.json`.
package struct EndRecord: Sendable, Hashable {
  package enum Cause: Sendable, Hashable {
    case exited(Int32)
    case signal(Int32)
    /// It reached its time limit.
    case timedOut
    /// Its program could not be executed.
    case refused(code: String, message: String, exitCode: Int32?)
  }

  package var cause: Cause
  /// Whether the worker was asked to end it, by whomever.
  package var wasStopped: Bool
  /// The node that it ran on.
  package var node: String
  /// The processor time, in microseconds.
  package var userTime: Int64
  package var systemTime: Int64
  /// The peak memory of its processes, in KiB.
  package var peakMemory: Int64
  /// The error number because of which a part of its output is missing; nil if nothing is.
  package var cut: Int32?

  package init(
    cause: Cause, wasStopped: Bool = false, node: String, userTime: Int64 = 0, systemTime: Int64 = 0,
    peakMemory: Int64 = 0
  ) {
    self.cause = cause
    self.wasStopped = wasStopped
    self.node = node
    self.userTime = userTime
    self.systemTime = systemTime
    self.peakMemory = peakMemory
  }

  package var succeeded: Bool { cause == .exited(0) }

  func bytes(token: AttemptToken) -> [UInt8] {
    var object: OrderedDictionary<String, JSONValue> = [
      "token": .string(token.text), "stopped": .bool(wasStopped), "node": .string(node), "user_us": .int(userTime),
      "system_us": .int(systemTime), "peak_kib": .int(peakMemory),
    ]
    if let cut { object["cut"] = .int(Int64(cut)) }
    let members: [(String, JSONValue)] =
      switch cause {
      case .exited(let code): [("exit", .int(Int64(code)))]
      case .signal(let signal): [("signal", .int(Int64(signal)))]
      case .timedOut: [("timed_out", true)]
      case .refused(let code, let message, let exit):
        [("refused", .string(code)), ("message", .string(message)), ("code", JSONValue(exit.map(Int.init)))]
      }
    for (name, value) in members { object[name] = value }
    return Array(JSONValue.object(object).text.utf8)
  }

  init?(bytes: [UInt8], token: AttemptToken) {
    guard let object = (try? JSONValue.parse(String(decoding: bytes, as: UTF8.self)))?.objectValue,
      object["token"]?.stringValue == token.text, let node = object["node"]?.stringValue,
      let wasStopped = object["stopped"]?.boolValue
    else { return nil }
    if let code = object["exit"]?.intValue.flatMap({ Int32(exactly: $0) }) {
      cause = .exited(code)
    } else if let signal = object["signal"]?.intValue.flatMap({ Int32(exactly: $0) }) {
      cause = .signal(signal)
    } else if object["timed_out"]?.boolValue == true {
      cause = .timedOut
    } else if let code = object["refused"]?.stringValue, let message = object["message"]?.stringValue {
      cause = .refused(
        code: code, message: message, exitCode: object["code"]?.intValue.flatMap { Int32(exactly: $0) })
    } else {
      return nil
    }
    self.wasStopped = wasStopped
    self.node = node
    userTime = object["user_us"]?.intValue ?? 0
    systemTime = object["system_us"]?.intValue ?? 0
    peakMemory = object["peak_kib"]?.intValue ?? 0
    cut = object["cut"]?.intValue.flatMap { Int32(exactly: $0) }
  }
}
