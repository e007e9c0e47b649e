/// Lengths of time as pipeline files write them: `1h30m`, `200ms`, `1.5s`, `2d`, `1w`.
public enum DurationNotation {
  /// The duration that `text` stands for; nil where it is none.
  ///
  /// The units are `ms s m h d w`, the largest first, each at most once; a number may have a fraction. Only `0` needs no unit.
  public static func parse(_ text: String) -> Duration? { nil }

  /// The notation of `duration`, such as `1h30m`, rounded to milliseconds.
  public static func format(_ duration: Duration) -> String { "" }
}
