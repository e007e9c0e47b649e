/// Why a response was rejected.
public struct HTTPRejection: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the failure in history and in filters: `http-status`, `http-type`, or a validator's own.
  public var code: String
  /// The message for people to read: what was expected, and what the server sent.
  public var message: String
  /// How much of the body is still read, in bytes, since it may describe the server's failure. 0 ends the transfer immediately.
  public var bodyLimit: Int

  /// Creates a rejection, by default without reading the body.
  public init(code: String, message: String, bodyLimit: Int = 0) {
    self.code = code
    self.message = message
    self.bodyLimit = bodyLimit
  }

  /// The message.
  public var description: String { message }
}
