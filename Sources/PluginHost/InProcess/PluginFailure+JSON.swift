import Values

extension PluginFailure {
  /// The length of the longest code, in characters.
  static let longestCode = 100
  /// The upper bound of `retry_after`, exclusive, in seconds: a thousand years, which is more than enough and far below the limit of `Duration`.
  static let longestWait = 31_556_952_000.0

  /// Reads the error object of `fail` and `yield_error`.
  ///
  /// - Throws: The way in which it violates the contract.
  package init(_ json: JSONValue?) throws(PluginFailureProblem) {
    guard let json else { throw PluginFailureProblem("it is empty") }
    guard case .object(let members) = json else { throw PluginFailureProblem("it is \(json.kind), not an object") }
    guard let code = members["code"] else { throw PluginFailureProblem("it has no \"code\"") }
    guard let code = code.stringValue, Self.isCode(code) else {
      throw PluginFailureProblem("\"code\" is not a code such as \"quota-exceeded\"")
    }
    guard let message = members["message"]?.stringValue, !message.isEmpty else {
      throw PluginFailureProblem("it has no \"message\"")
    }
    var retryAfter: Duration?
    if let seconds = members["retry_after"], !seconds.isNull {
      guard let seconds = seconds.doubleValue, seconds >= 0, seconds < Self.longestWait else {
        throw PluginFailureProblem("\"retry_after\" is not a number of seconds")
      }
      retryAfter = .seconds(seconds)
    }
    self.init(code: code, message: message, retryAfter: retryAfter, detail: members["detail"])
  }

  private static func isCode(_ text: String) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.utf8.count <= longestCode
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// The error object, as the contract defines it.
  package var json: JSONValue {
    var json: JSONValue = ["code": .string(code), "message": .string(message)]
    if case .object(var members) = json {
      if let retryAfter { members["retry_after"] = .double(Double(retryAfter.nanoseconds) / 1e9) }
      if let detail { members["detail"] = detail }
      json = .object(members)
    }
    return json
  }
}

/// The reason why a value is not an error object.
package struct PluginFailureProblem: Error, Sendable, Hashable {
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
