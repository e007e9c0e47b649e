/// Why a text is not JSON.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// Where, as the number of bytes before the place.
  public var offset: Int

  /// The failure `message` at the byte `offset`.
  public init(_ message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The message with its place, such as `expected a value (byte 3)`.
  public var description: String { "\(message) (byte \(offset))" }
}
