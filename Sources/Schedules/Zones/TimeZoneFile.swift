/// Reads files of the time zone database: TZif (RFC 9636), versions 1 to 4.
///
/// Nothing in a file is trusted: every count is checked against the length before it is used for reading or allocating.
struct TimeZoneFile {
  typealias LocalTime = TimeZoneRules.LocalTime

  /// The maximum file size; the largest file of the database is smaller than 4 KiB.
  static let maximumLength = 1 << 20

  private let name: String
  private let bytes: [UInt8]
  private var at = 0

  /// The six counts of a header, which describe the block that follows.
  private struct Header {
    var version: UInt8
    var utcIndicators: Int
    var standardIndicators: Int
    var leapSeconds: Int
    var transitions: Int
    var localTimes: Int
    var characters: Int

    func length(timeSize: Int) -> Int {
      transitions * (timeSize + 1) + localTimes * 6 + characters + leapSeconds * (timeSize + 4)
        + standardIndicators + utcIndicators
    }
  }

  /// Parses the rules in `bytes`.
  static func parse(_ bytes: [UInt8], name: String) throws(TimeZoneError) -> TimeZoneRules {
    guard bytes.count <= maximumLength else {
      throw .damaged(name: name, reason: "it is longer than \(maximumLength) bytes")
    }
    var file = TimeZoneFile(name: name, bytes: bytes)
    return try file.rules()
  }

  private init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  private mutating func rules() throws(TimeZoneError) -> TimeZoneRules {
    let first = try header()
    guard first.version > 0 else { return try rules(first, timeSize: 4, hasFormula: false) }
    // Since version 2, the first block serves old readers; a second one with 64-bit times follows.
    try skip(first.length(timeSize: 4))
    let second = try header()
    guard second.version > 0 else { throw damage("its second header has no version") }
    return try rules(second, timeSize: 8, hasFormula: true)
  }

  private mutating func header() throws(TimeZoneError) -> Header {
    guard bytes.count - at >= 44 else { throw damage("it ends within a header") }
    guard bytes[at..<at + 4].elementsEqual("TZif".utf8) else { throw damage("it does not begin with 'TZif'") }
    let version = bytes[at + 4]
    guard version == 0 || (0x32...0x39).contains(version) else { throw damage("its version is unknown") }
    at += 20
    let header = Header(
      version: version == 0 ? 0 : version - 0x30, utcIndicators: count(), standardIndicators: count(),
      leapSeconds: count(), transitions: count(), localTimes: count(), characters: count())
    return header
  }

  /// Reads four bytes, whose presence the caller has checked. The result is less than 2^32, so sums of products with small numbers cannot overflow.
  private mutating func count() -> Int {
    Int(number(4) & 0xFFFF_FFFF)
  }

  private mutating func rules(
    _ header: Header, timeSize: Int, hasFormula: Bool
  ) throws(TimeZoneError) -> TimeZoneRules {
    guard header.length(timeSize: timeSize) <= bytes.count - at else { throw damage("it ends too early") }
    guard (1...256).contains(header.localTimes) else { throw damage("it has \(header.localTimes) kinds of local time") }
    guard (1...4096).contains(header.characters) else { throw damage("its abbreviations are missing or too long") }
    guard header.leapSeconds == 0 else {
      throw damage("it counts leap seconds, which the computer's clock does not; use the zone without 'right/'")
    }
    guard [0, header.localTimes].contains(header.utcIndicators),
      [0, header.localTimes].contains(header.standardIndicators)
    else { throw damage("its counts are inconsistent") }

    var transitions: [UnixTime] = []
    transitions.reserveCapacity(header.transitions)
    for _ in 0..<header.transitions {
      let time = number(timeSize)
      if let last = transitions.last, last >= time { throw damage("its times are not in ascending order") }
      transitions.append(time)
    }
    let kinds = Array(bytes[at..<at + header.transitions])
    at += header.transitions
    guard kinds.allSatisfy({ $0 < header.localTimes }) else {
      throw damage("it refers to a local time that it does not define")
    }
    let localTimes = try localTimes(header)
    at += header.standardIndicators + header.utcIndicators
    return TimeZoneRules(
      name: name, transitions: transitions, kinds: kinds, localTimes: localTimes,
      formula: hasFormula ? try formula() : nil)
  }

  private mutating func localTimes(_ header: Header) throws(TimeZoneError) -> [LocalTime] {
    let characters = bytes[at + header.localTimes * 6..<at + header.localTimes * 6 + header.characters]
    var localTimes: [LocalTime] = []
    for _ in 0..<header.localTimes {
      let offset = Int(number(4))
      let isDaylightSaving = bytes[at]
      let index = Int(bytes[at + 1])
      at += 2
      guard abs(offset) < TimeZoneRules.offsetBound else { throw damage("it has an offset of \(offset) seconds") }
      guard isDaylightSaving <= 1, index < characters.count else {
        throw damage("it describes an invalid local time")
      }
      let rest = characters.dropFirst(index)
      guard let end = rest.firstIndex(of: 0) else { throw damage("an abbreviation is not terminated") }
      let abbreviation = rest[..<end]
      guard abbreviation.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw damage("an abbreviation is invalid") }
      localTimes.append(
        LocalTime(
          offset: offset, isDaylightSaving: isDaylightSaving == 1,
          abbreviation: String(decoding: abbreviation, as: UTF8.self)))
    }
    at += header.characters
    return localTimes
  }

  /// Reads the formula between the two line feeds at the end.
  private mutating func formula() throws(TimeZoneError) -> TimeZoneFormula? {
    guard at < bytes.count, bytes[at] == 0x0A, let end = bytes[(at + 1)...].firstIndex(of: 0x0A) else {
      throw damage("its last line is missing")
    }
    let text = bytes[at + 1..<end]
    if text.isEmpty { return nil }
    guard let formula = TimeZoneFormulaParser.parse(text) else { throw damage("its last line is invalid") }
    return formula
  }

  /// Reads a big-endian number of four or eight bytes, whose presence the caller has checked.
  private mutating func number(_ size: Int) -> Int64 {
    var value: UInt64 = 0
    for byte in bytes[at..<at + size] { value = value << 8 | UInt64(byte) }
    at += size
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }

  private mutating func skip(_ count: Int) throws(TimeZoneError) {
    guard count <= bytes.count - at else { throw damage("it ends too early") }
    at += count
  }

  private func damage(_ reason: String) -> TimeZoneError {
    .damaged(name: name, reason: reason)
  }
}
