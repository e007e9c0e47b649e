/// Why the service refuses what it was asked: a value with a stable code, whose description says what is wrong, where, and what to do next.
package protocol ServiceError: Error, CustomStringConvertible, Sendable {
  /// A stable, kebab-case identifier.
  var code: String { get }
  /// Whether what was asked for is wrong. Default true; else the engine or the workspace cannot do it at present.
  var isRefusal: Bool { get }
}

extension ServiceError {
  package var isRefusal: Bool { true }
}
