import Synchronization

/// The identity of a run: twelve characters that sort by the time at which they were generated.
///
/// Six characters encode the seconds since 2024-01-01 UTC, two the 1/1024 s, and four are random. The alphabet is lower-case without `i l o u`, so
/// that no two characters look alike and no words occur. Sixty bits in total; the seconds last until 2058.
public struct RunID: Sendable, Hashable, Comparable {
  /// The sixty bits: 30 of seconds, 10 of 1/1024 s, 20 random.
  let bits: UInt64

  /// The number of characters of an id.
  public static let length = 12
  /// The seconds from 1970 to the origin of the ids, 2024-01-01T00:00:00Z.
  private static let epoch: Int64 = 1_704_067_200
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let last = Mutex<UInt64>(0)

  init(bits: UInt64) {
    self.bits = bits & (1 << 60 - 1)
  }

  /// Parses an id; nil unless it is exactly twelve characters of the alphabet. Upper case is accepted.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.length else { return nil }
    var bits: UInt64 = 0
    for byte in text.utf8 {
      guard let digit = Self.digit(byte) else { return nil }
      bits = bits << 5 | digit
    }
    self.bits = bits
  }

  /// Returns a new id. Within a process each one sorts after those generated before, even if the clock steps back.
  public static func generate() -> RunID {
    var random = SystemRandomNumberGenerator()
    return generate(at: .now, using: &random)
  }

  /// Returns a new id for the time of the caller's clock.
  package static func generate(at time: RecordTime) -> RunID {
    var random = SystemRandomNumberGenerator()
    return generate(at: time, using: &random)
  }

  static func generate(at time: RecordTime, using random: inout some RandomNumberGenerator) -> RunID {
    let fresh = bits(at: time, using: &random)
    return last.withLock { last in
      last = max(last + 1, fresh)
      return RunID(bits: last)
    }
  }

  /// Returns the bits of an id for that time, regardless of earlier ids.
  static func bits(at time: RecordTime, using random: inout some RandomNumberGenerator) -> UInt64 {
    let sinceEpoch = max(0, time.microseconds - epoch * 1_000_000)
    let seconds = UInt64(sinceEpoch / 1_000_000)
    let fraction = UInt64(sinceEpoch % 1_000_000) * 1024 / 1_000_000
    return seconds << 30 | fraction << 20 | random.next(upperBound: 1 << 20)
  }

  /// When the id was generated, to about a millisecond.
  public var time: RecordTime {
    let seconds = Int64(bits >> 30) + Self.epoch
    let fraction = Int64(bits >> 20 & 1023) * 1_000_000 / 1024
    return RecordTime(microseconds: seconds * 1_000_000 + fraction)
  }

  /// The twelve characters.
  public var text: String {
    String(unsafeUninitializedCapacity: Self.length) { buffer in
      for place in 0..<Self.length {
        buffer[place] = Self.alphabet[Int(bits >> UInt64(5 * (Self.length - 1 - place)) & 31)]
      }
      return Self.length
    }
  }

  /// The first eight characters, which distinguish runs that began in different milliseconds. ``History/shortForm(of:)`` returns as many as are needed.
  public var short: String { String(text.prefix(8)) }

  /// Orders by the time of generation.
  public static func < (left: RunID, right: RunID) -> Bool { left.bits < right.bits }

  /// Returns a text in lower case if it could be the beginning of an id, otherwise nil.
  static func prefix(_ text: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= length, text.utf8.allSatisfy({ digit($0) != nil }) else { return nil }
    return text.lowercased()
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    let lower = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    return alphabet.firstIndex(of: lower).map(UInt64.init)
  }
}

extension RunID: CustomStringConvertible {
  /// The twelve characters.
  public var description: String { text }
}
