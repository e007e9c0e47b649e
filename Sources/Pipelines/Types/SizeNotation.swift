/// Amounts of bytes as pipeline files write them: `16MiB`, `10 MB`, `512`.
public enum SizeNotation {
  /// The number of bytes that `text` stands for; nil where it is none, or does not fit 64 bits.
  ///
  /// Units are `B`, `KiB MiB GiB TiB` (powers of 1024) and `KB MB GB TB` (powers of 1000); a bare number counts bytes.
  public static func parse(_ text: String) -> Int64? { nil }

  /// The notation of `bytes`, with the largest unit that is exact, or one digit after the point.
  public static func format(_ bytes: Int64) -> String { "" }
}
