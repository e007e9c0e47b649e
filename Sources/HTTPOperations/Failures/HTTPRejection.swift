/// Why a response is not welcome.
public struct HTTPRejection: Error, Sendable, Hashable, CustomStringConvertible {
  /// Names the failure in history and in filters: `http-status`, `http-type`, or a validator's own.
  public var code: String
  /// The message for people: what was expected, and what the server sent.
  public var message: String
  /// How much of the body is read nevertheless, in bytes: what a server says about its failure is in there. 0 ends the
  /// transfer at once.
  public var bodyLimit: Int

  /// A rejection that does not look at the body, unless told otherwise.
  public init(code: String, message: String, bodyLimit: Int = 0) {
    self.code = code
    self.message = message
    self.bodyLimit = bodyLimit
  }

  /// The message.
  public var description: String { message }
}
