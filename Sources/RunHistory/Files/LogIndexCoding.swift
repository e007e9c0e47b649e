/// The format of an index file, `<number>.index` in the directory of a run: a mark, followed by appended blocks.
///
/// A block consists of its length, a 16-bit checksum, and that many bytes: the time of the first growth, in microseconds since 1970, and for each
/// growth the log (`number * 2`, plus 1 for standard error), the size, and the microseconds since the previous one. Numbers are LEB128, with zigzag
/// encoding if they may be negative. An incomplete or damaged block ends the file.
package enum LogIndexCoding {
  package static let suffix = ".index"
  package static let mark: [UInt8] = Array("penlogs1".utf8)

  /// Whether a file of a run's directory is an index.
  package static func isIndex(_ name: String) -> Bool {
    name.hasSuffix(suffix) && Int(name.dropLast(suffix.count)) != nil
  }

  // MARK: Writing

  /// Appends a block with the given growths.
  package static func write(_ growths: [LogGrowth], to bytes: inout [UInt8]) {
    guard let first = growths.first else { return }
    var content: [UInt8] = []
    append(zigzag(first.time.microseconds), to: &content)
    var time = first.time.microseconds
    for growth in growths {
      append(UInt64(growth.log.number) << 1 | (growth.log.isError ? 1 : 0), to: &content)
      append(UInt64(growth.size), to: &content)
      append(zigzag(growth.time.microseconds - time), to: &content)
      time = growth.time.microseconds
    }
    append(UInt64(content.count), to: &bytes)
    let sum = checkSum(content[...])
    bytes += [UInt8(sum & 0xFF), UInt8(sum >> 8)]
    bytes += content
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

  // MARK: Reading

  /// Reads the complete blocks at the beginning of `bytes`.
  ///
  /// - Returns: Their size in bytes, or nil if what follows is damaged.
  package static func read(_ bytes: ArraySlice<UInt8>, _ body: (LogGrowth) -> Void) -> Int? {
    var rest = bytes
    while true {
      let start = rest.startIndex
      guard let length = number(&rest), rest.count >= 2 else { return start - bytes.startIndex }
      guard length <= longestBlock else { return nil }
      let sum = UInt16(rest[rest.startIndex]) | UInt16(rest[rest.startIndex + 1]) << 8
      rest = rest.dropFirst(2)
      guard rest.count >= Int(length) else { return start - bytes.startIndex }
      let content = rest.prefix(Int(length))
      guard length > 0, checkSum(content) == sum else { return nil }
      readContent(content, body)
      rest = rest.dropFirst(Int(length))
    }
  }

  /// In bytes. A host writes what has accumulated in some milliseconds.
  private static let longestBlock: UInt64 = 1 << 24

  private static func readContent(_ content: ArraySlice<UInt8>, _ body: (LogGrowth) -> Void) {
    var rest = content
    guard let first = number(&rest) else { return }
    var time = unzigzag(first)
    while let log = number(&rest), let size = number(&rest), let passed = number(&rest) {
      time &+= unzigzag(passed)
      guard let size = Int64(exactly: size) else { return }
      body(
        LogGrowth(
          LogName(number: Int(log >> 1), isError: log & 1 == 1), size: size, time: RecordTime(microseconds: time)))
    }
  }

  /// Takes a number from the beginning; returns nil if it is incomplete.
  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for index in bytes.indices {
      number |= UInt64(bytes[index] & 0x7F) << shift
      guard bytes[index] & 0x80 != 0 else {
        bytes = bytes[(index + 1)...]
        return number
      }
      shift += 7
      if shift > 63 { break }
    }
    return nil
  }

  private static func unzigzag(_ number: UInt64) -> Int64 { Int64(bitPattern: number >> 1) ^ -Int64(number & 1) }

  /// Fletcher's 16-bit checksum, which detects a block that was truncated, or filled with zeros by a crash of the computer.
  private static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var (low, high): (UInt16, UInt16) = (1, 0)
    for byte in bytes {
      low = (low + UInt16(byte)) % 255
      high = (high + low) % 255
    }
    return high << 8 | low
  }
}
