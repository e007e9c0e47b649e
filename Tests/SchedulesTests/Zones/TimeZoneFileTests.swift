import Glibc
import Testing

@testable import Schedules

struct TimeZoneFileTests {
  /// Returns a file of version 2: CET until 1,000,000, CEST until 2,000,000, then `formula`.
  private func file(
    version: UInt8 = 0x32, times: [Int64] = [1_000_000, 2_000_000], kinds: [UInt8] = [1, 0],
    offsets: [Int32] = [3600, 7200],
    indices: [UInt8] = [0, 4], characters: String = "CET\0CEST\0", formula: String = "\nCET-1\n",
    leapSeconds: UInt32 = 0,
    indicators: UInt32 = 0
  ) -> [UInt8] {
    func big<T: FixedWidthInteger>(_ number: T) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    func header(_ counts: [UInt32]) -> [UInt8] {
      Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts.flatMap(big)
    }
    var bytes = header([0, 0, 0, 0, 1, 1]) + [UInt8](repeating: 0, count: 7)
    bytes += header([
      indicators, indicators, leapSeconds, UInt32(times.count), UInt32(offsets.count), UInt32(characters.utf8.count),
    ])
    bytes += times.flatMap(big) + kinds
    for (index, offset) in offsets.enumerated() { bytes += big(offset) + [UInt8(index % 2), indices[index]] }
    return bytes + Array(characters.utf8) + Array(formula.utf8)
  }

  private func damage(_ bytes: [UInt8]) -> String? {
    do throws(TimeZoneError) {
      _ = try TimeZoneFile.parse(bytes, name: "Test")
      return nil
    } catch {
      guard case .damaged("Test", let reason) = error else { return "\(error)" }
      return reason
    }
  }

  @Test("a well-formed file yields its local times")
  func wellformedFileGivesTimes() throws {
    let rules = try TimeZoneFile.parse(file(), name: "Test")
    #expect(
      [0, 999_999, 1_000_000, 1_999_999, 2_000_000, 4_000_000_000].map { rules.localTime(at: $0).abbreviation }
        == ["CET", "CET", "CEST", "CEST", "CET", "CET"])
    #expect(damage(file(version: 0x33)) == nil && damage(file(version: 0x34)) == nil)
    #expect(damage(file(formula: "\n\n")) == nil)
  }

  @Test("a version 1 file has 32-bit times and no final line")
  func fileVersion132bit() throws {
    var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
    bytes += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4]
    bytes += [0xFF, 0xFF, 0xFF, 0xFF] + [0] + [0, 0, 0x0E, 0x10, 0, 0] + Array("CET\0".utf8)
    let rules = try TimeZoneFile.parse(bytes, name: "Test")
    #expect(rules.transitions == [-1] && rules.localTime(at: 0).offset == 3600)
  }

  @Test("each kind of damage has its own reason")
  func everyWayDamageFile() {
    let reasons: [(bytes: [UInt8], reason: String)] = [
      ([], "it ends within a header"),
      (Array("TZif".utf8), "it ends within a header"),
      ([UInt8](repeating: 0x41, count: 100), "it does not begin with 'TZif'"),
      (file(version: 0x31), "its version is unknown"),
      (file(times: [2, 1]), "its times are not in ascending order"),
      (file(kinds: [1, 2]), "it refers to a local time that it does not define"),
      (file(offsets: [3600, 93_600]), "it has an offset of 93600 seconds"),
      (file(offsets: [.min, 0]), "it has an offset of -2147483648 seconds"),
      (file(indices: [0, 9]), "it describes an invalid local time"),
      (file(characters: "CET\0CEST"), "an abbreviation is not terminated"),
      (file(characters: "C\u{1B}T\0CEST\0"), "an abbreviation is invalid"),
      (file(times: [], kinds: [], offsets: [], indices: []), "it has 0 kinds of local time"),
      (file(formula: ""), "its last line is missing"),
      (file(formula: "\nCET-1"), "its last line is missing"),
      (file(formula: "\nnonsense\n"), "its last line is invalid"),
      (file(leapSeconds: 0xFFFF_FFFF), "it ends too early"),
      (file(indicators: 1), "its counts are inconsistent"),
      ([UInt8](repeating: 0, count: TimeZoneFile.maximumLength + 1), "it is longer than 1048576 bytes"),
    ]
    for (bytes, reason) in reasons { #expect(damage(bytes) == reason) }
  }

  @Test("a truncated file is rejected at every length")
  func fileCutAnywhereRefused() {
    let whole = file()
    for length in 0..<whole.count { #expect(damage(Array(whole[..<length])) != nil) }
  }

  @Test("corrupted files are parsed or rejected, and parsed ones can be queried")
  func changedBytesReadOr() throws {
    var numbers = SeededNumbers(state: 9636)
    let whole = file(formula: "\nCET-1CEST,M3.5.0,M10.5.0/3\n")
    var read = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      guard let rules = try? TimeZoneFile.parse(bytes, name: "Test") else { continue }
      read += 1
      for at in [UnixTime.min, 0, 1_500_000, 1_774_746_000, .max] {
        let period = rules.period(at: at)
        #expect(period.start <= at && (period.end > at || at == .max))
      }
      #expect(rules.instants(of: rules.civilTime(at: 1_774_746_000)).contains(1_774_746_000))
    }
    #expect(read > 1000 && read < 19_000)
  }
}
