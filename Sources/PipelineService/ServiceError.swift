/// An error of the service: a value with a stable code, whose description says what is wrong, where, and what to do next.
package protocol ServiceError: Error, CustomStringConvertible, Sendable {
  /// A stable, kebab-case identifier.
  var code: String { get }
  /// Whether the request itself is wrong. Default true; otherwise the engine or the workspace cannot carry it out at present.
  var isRefusal: Bool { get }
}

extension ServiceError {
  package var isRefusal: Bool { true }
}
