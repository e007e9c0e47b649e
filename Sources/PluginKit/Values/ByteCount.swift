/// A number of bytes, which pipeline files write as `512KiB`, `1.5GB` or `4096`.
public struct ByteCount: PluginValue, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The number of bytes.
  public var bytes: Int64

  /// Creates a count of bytes.
  public init(_ bytes: Int64) { self.bytes = bytes }

  /// Creates a count of bytes.
  public init(integerLiteral bytes: Int64) { self.bytes = bytes }

  /// Reads the notation of pipeline files, or a whole number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let bytes = try? container.decode(Int64.self) {
      self.bytes = bytes
      return
    }
    let text = try container.decode(String.self)
    guard let bytes = SizeNotation.parse(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a size such as '16MiB', found '\(text)'")
    }
    self.bytes = bytes
  }

  /// Writes the exact number, since the notation may round.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }

  /// `size`
  public static var valueType: ValueType { .size }
  /// Zero.
  public static var exampleValue: ByteCount? { 0 }
  /// Orders counts by their number of bytes.
  public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
  /// The notation of pipeline files, possibly rounded.
  public var description: String { SizeNotation.format(bytes) }
}
