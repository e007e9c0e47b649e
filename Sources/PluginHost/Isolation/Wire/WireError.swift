/// An invalid message from the other side. It ends the connection.
struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause for a message: `a frame of unknown kind 12`.
  let description: String

  init(_ description: String) { self.description = description }
}
