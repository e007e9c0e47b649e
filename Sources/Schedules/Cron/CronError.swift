/// An error in a cron line.
public struct CronError: Error, Sendable, Hashable {
  /// What happened, in one sentence without a full stop.
  public let message: String
  /// The position in the line, in Unicode scalars from 1.
  public let position: Int
  /// The number of Unicode scalars that are wrong; 0 if something is missing.
  public let length: Int
  /// How to fix it, if known.
  public let fix: String?

  /// A stable identifier: always `invalid-schedule`.
  public var code: String { "invalid-schedule" }
}

extension CronError: CustomStringConvertible {
  /// The message, position and fix in one line.
  public var description: String {
    "\(message) (position \(position))" + (fix.map { "; \($0)" } ?? "")
  }
}
