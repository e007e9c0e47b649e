/// The reason why a text is not valid JSON.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, as one sentence without a full stop.
  public var message: String
  /// The position of the problem, as the number of bytes before it.
  public var offset: Int

  /// Creates the failure `message` at byte `offset`.
  public init(_ message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The message with its position, such as `expected a value (byte 3)`.
  public var description: String { "\(message) (byte \(offset))" }
}
