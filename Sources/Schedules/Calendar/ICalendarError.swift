/// Why a file is no calendar that can be used.
public struct ICalendarError: Error, Sendable, Hashable {
  /// Where in the file, from 1; the line on which a folded one begins.
  public let line: Int
  /// What is wrong, in one sentence without a full stop.
  public let message: String

  /// A stable identifier: always `invalid-calendar`.
  public var code: String { "invalid-calendar" }
}

extension ICalendarError: CustomStringConvertible {
  /// As in `line 12: …`.
  public var description: String { "line \(line): \(message)" }
}
