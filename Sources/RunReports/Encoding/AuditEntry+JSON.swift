import RunHistory
import Values

extension AuditEntry {
  /// Returns the entry as JSON, with the names of the view `audit`.
  package func jsonValue() -> JSONValue {
    .object([
      "time": JSONValue(time), "who": .string(requester.who), "how": .string(requester.means.rawValue),
      "what": .string(action.rawValue), "on_what": .string(target), "detail": JSONValue(detail),
    ])
  }
}
