/// A response that came whole, but is not what was asked for.
public struct HTTPResultError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failures. Their raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The body is not text of the declared charset.
    case badText = "bad-text"
    /// The declared charset is none that can be read here.
    case unknownCharset = "unknown-charset"
    /// The body cannot be decoded.
    case undecodable = "undecodable"
    /// A stream of events ended, and is to be connected to again.
    case streamEnded = "stream-ended"
  }

  /// The kind of failure.
  public var code: Code
  /// The message for people. It contains nothing of the body.
  public var message: String

  /// A failure.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
