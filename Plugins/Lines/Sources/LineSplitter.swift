/// Splits bytes that arrive in pieces into lines of bounded length.
///
/// A line ends with a line feed; a carriage return before it is dropped. The part of a line beyond the limit is dropped without being buffered.
/// Bytes that are not UTF-8 become U+FFFD.
struct LineSplitter {
  /// One line.
  struct Line: Hashable {
    var text: String
    /// The number of bytes that were dropped.
    var cut: Int
  }

  private let longest: Int
  private var bytes: [UInt8] = []
  private var cut = 0

  /// Creates a splitter for lines of at most `longest` bytes.
  init(longest: Int) { self.longest = longest }

  /// Takes more bytes, and calls `body` with each line that they complete.
  mutating func take(_ more: UnsafeRawBufferPointer, _ body: (Line) -> Void) {
    var rest = more[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      body(finish())
      rest = rest[(end + 1)...]
    }
    append(rest)
  }

  /// Returns the last line, if it has no line feed; nil if there is none.
  mutating func end() -> Line? { bytes.isEmpty && cut == 0 ? nil : finish() }

  private mutating func append(_ piece: Slice<UnsafeRawBufferPointer>) {
    let room = min(longest - bytes.count, piece.count)
    bytes.append(contentsOf: piece.prefix(room))
    cut += piece.count - room
  }

  private mutating func finish() -> Line {
    if cut == 0, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    if cut > 0 { cutBackToScalar() }
    defer {
      bytes.removeAll(keepingCapacity: true)
      cut = 0
    }
    return Line(text: String(decoding: bytes, as: UTF8.self), cut: cut)
  }

  /// Drops an incomplete scalar at the end.
  private mutating func cutBackToScalar() {
    guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0b1100_0000 != 0b1000_0000 }) else { return }
    let length =
      switch bytes[lead] {
      case 0b1111_0000...: 4
      case 0b1110_0000...: 3
      case 0b1100_0000...: 2
      default: 1
      }
    guard bytes.count - lead < length else { return }
    cut += bytes.count - lead
    bytes.removeLast(bytes.count - lead)
  }
}
