import OrderedCollections
import Values

// A failure as the contract writes errors: {"code": …, "message": …, "retry_after": seconds, "detail": …}.
extension PluginFailure {
  /// As a JSON object.
  var members: JSONValue {
    var members: OrderedDictionary<String, JSONValue> = ["code": .string(code), "message": .string(message)]
    if let retryAfter {
      let (seconds, attoseconds) = retryAfter.components
      members["retry_after"] = .double(Double(seconds) + Double(attoseconds) * 1e-18)
    }
    if let detail { members["detail"] = detail }
    return .object(members)
  }

  /// From a JSON object; nil where it is none, or one without code or message.
  init?(members: JSONValue) {
    guard let code = members["code"]?.stringValue, let message = members["message"]?.stringValue else { return nil }
    let seconds = members["retry_after"]?.doubleValue
    // No wait of a program is longer than a thousand years; more does not fit a duration.
    if let seconds, !(0...3.2e10).contains(seconds) { return nil }
    self.init(
      code: code, message: message, retryAfter: seconds.map { .seconds($0) }, detail: members["detail"])
  }
}
