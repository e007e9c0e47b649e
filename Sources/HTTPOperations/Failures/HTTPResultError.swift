/// A response that is complete but not as expected.
public struct HTTPResultError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. The raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The body is not valid text in the declared charset.
    case badText = "bad-text"
    /// The declared charset is not supported.
    case unknownCharset = "unknown-charset"
    /// The body cannot be decoded.
    case undecodable = "undecodable"
    /// A stream of events ended, and the source must reconnect.
    case streamEnded = "stream-ended"
  }

  /// The kind of failure.
  public var code: Code
  /// The message for people to read. It contains nothing of the body.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
