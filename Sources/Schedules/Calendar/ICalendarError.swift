/// The reason that a file is not a usable calendar.
public struct ICalendarError: Error, Sendable, Hashable {
  /// The line in the file, from 1; for a folded line, its first.
  public let line: Int
  /// What is wrong, in one sentence without a full stop.
  public let message: String

  /// A stable identifier: always `invalid-calendar`.
  public var code: String { "invalid-calendar" }
}

extension ICalendarError: CustomStringConvertible {
  /// For example, `line 12: …`.
  public var description: String { "line \(line): \(message)" }
}
