/// What is wrong with a cron line.
public struct CronError: Error, Sendable, Hashable {
  /// What happened, in one sentence without a full stop.
  public let message: String
  /// Where in the line, counted in Unicode scalars from 1.
  public let position: Int
  /// How many Unicode scalars it is about; 0 where something is missing.
  public let length: Int
  /// What to do, if that is known.
  public let fix: String?

  /// A stable identifier: always `invalid-schedule`.
  public var code: String { "invalid-schedule" }
}

extension CronError: CustomStringConvertible {
  /// Message, place and fix in one line.
  public var description: String {
    "\(message) (position \(position))" + (fix.map { "; \($0)" } ?? "")
  }
}
