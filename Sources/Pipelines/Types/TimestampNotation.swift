/// Instants as RFC 3339 writes them: `2026-03-29T02:30:00.250+01:00`.
public enum TimestampNotation {
  /// The seconds between the beginning of 1970 in UTC and the instant `text`; nil where it is none.
  public static func parse(_ text: String) -> Double? { nil }

  /// The instant `seconds` after the beginning of 1970, in UTC with milliseconds: `2026-03-29T01:30:00.250Z`.
  public static func format(_ seconds: Double) -> String { "" }
}
