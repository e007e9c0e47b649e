/// Sizes in bytes as pipeline files write them: `16MiB`, `10 MB`, `512`.
public enum SizeNotation {
  private static let units: [(name: String, bytes: Int64)] = [
    ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
    ("MB", 1_000_000), ("KiB", 1 << 10), ("KB", 1000), ("kB", 1000), ("B", 1),
  ]

  /// Returns the number of bytes that `text` stands for, or nil if it is not a size or does not fit into 64 bits.
  ///
  /// Units are `B`, `KiB MiB GiB TiB` (powers of 1024) and `KB MB GB TB` (powers of 1000), optionally preceded by
  /// spaces; a number before a unit may have a fraction and is rounded down to whole bytes; a bare number counts bytes.
  public static func parse(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    var at = 0
    guard let number = NotationNumber(bytes, at: &at) else { return nil }
    if at == bytes.count { return bytes.contains(UInt8(ascii: ".")) ? nil : number.times(1) }
    while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    let name = String(decoding: bytes[at...], as: UTF8.self)
    return units.first { $0.name == name }.flatMap { number.times($0.bytes) }
  }

  /// Returns the notation of `bytes` in the largest power-of-1024 unit that it reaches, with at most one digit after
  /// the point (rounded down), such as `16MiB`, `1.5KiB`, `512B`.
  public static func format(_ bytes: Int64) -> String {
    let magnitude = bytes.magnitude
    let sign = bytes < 0 ? "-" : ""
    for (name, unit) in [("TiB", UInt64(1) << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    where magnitude >= unit {
      let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
      let tenths = rest * 10 / unit
      return tenths == 0 ? "\(sign)\(whole)\(name)" : "\(sign)\(whole).\(tenths)\(name)"
    }
    return "\(sign)\(magnitude)B"
  }
}
