/// A buffer for JSON as it is written.
///
/// Most writes are single bytes, and an array would check for unique ownership and capacity before each of them.
struct JSONBuffer: ~Copyable {
  private var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 240)
  private var count = 0
  private var capacity = 240
  /// See ``JSONValue/withJSON(exactly:_:)``.
  private let isExact: Bool

  init(isExact: Bool = false) { self.isExact = isExact }

  deinit { bytes.deallocate() }

  /// The bytes written so far, valid as long as the buffer is.
  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

  mutating func append(_ value: borrowing JSONValue) {
    switch value {
    case .null: append("null" as StaticString)
    case .bool(true): append("true" as StaticString)
    case .bool(false): append("false" as StaticString)
    case .int(let number): append(number)
    case .double(let number) where isExact: append(contentsOf: number.isFinite ? number.description : "null")
    case .double(let number): append(contentsOf: DecimalText.shortest(number))
    case .string(let text): append(text)
    case .array(let elements):
      append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { append(UInt8(ascii: ",")) }
        isFirst = false
        append(element)
      }
      append(UInt8(ascii: "]"))
    case .object(let members):
      append(UInt8(ascii: "{"))
      var isFirst = true
      for (name, value) in members {
        if !isFirst { append(UInt8(ascii: ",")) }
        isFirst = false
        append(name)
        append(UInt8(ascii: ":"))
        append(value)
      }
      append(UInt8(ascii: "}"))
    }
  }

  /// Appends `text` in quotes, escaping characters where required.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { source in
      makeRoom(for: source.count + 2)
      append(UInt8(ascii: "\""))
      if Self.isPlain(source) { append(source) } else { appendEscaped(source) }
      append(UInt8(ascii: "\""))
    }
  }

  /// Returns whether nothing needs escaping, as in most texts. Checks eight bytes at a time.
  private static func isPlain(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
    guard source.count >= 8 else { return !source.contains(where: mustBeEscaped) }
    let bytes = UnsafeRawBufferPointer(source)
    let last = bytes.count - 8
    var place = 0
    while place < last {
      if hasEscape(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) { return false }
      place += 8
    }
    return !hasEscape(bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self))
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Returns whether any of eight bytes needs escaping.
  private static func hasEscape(_ bytes: UInt64) -> Bool {
    let each: UInt64 = 0x0101_0101_0101_0101
    // A subtraction sets a byte's high bit if the byte was less than the subtrahend; `~bytes` excludes those that had it set before.
    let control = bytes &- (each &* 0x20)
    let quote = (bytes ^ (each &* 0x22)) &- each
    let backslash = (bytes ^ (each &* 0x5C)) &- each
    return (control | quote | backslash) & ~bytes & (each &* 0x80) != 0
  }

  private mutating func appendEscaped(_ source: UnsafeBufferPointer<UInt8>) {
    var pending = 0
    for index in source.indices where Self.mustBeEscaped(source[index]) {
      append(UnsafeBufferPointer(rebasing: source[pending..<index]))
      pending = index + 1
      append(UInt8(ascii: "\\"))
      appendEscape(source[index])
    }
    append(UnsafeBufferPointer(rebasing: source[pending...]))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append("u00" as StaticString)
      append(Self.hexadecimalDigit(byte >> 4))
      append(Self.hexadecimalDigit(byte & 15))
    }
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private mutating func append(_ number: Int64) {
    makeRoom(for: 20)
    var magnitude = number.magnitude
    if number < 0 { append(UInt8(ascii: "-")) }
    var length = 1
    var rest = magnitude
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    for place in stride(from: count + length - 1, through: count, by: -1) {
      let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      bytes[place] = 48 + UInt8(truncatingIfNeeded: digit)
      magnitude = quotient
    }
    count += length
  }

  private mutating func append(_ word: StaticString) {
    append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func append(contentsOf text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
    guard let start = source.baseAddress else { return }
    makeRoom(for: source.count)
    (bytes + count).update(from: start, count: source.count)
    count += source.count
  }

  private mutating func append(_ byte: UInt8) {
    if count == capacity { makeRoom(for: 1) }
    bytes[count] = byte
    count += 1
  }

  private mutating func makeRoom(for more: Int) {
    guard count + more > capacity else { return }
    capacity = max(2 * capacity, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }
}
