/// The text of a pipeline file, with an index of its lines for converting between positions and offsets.
///
/// Lines end with a line feed, a carriage return, or both. A byte order mark at the start is not part of the text. Building the index reads the
/// text once; lookups of lines are then fast. Values can be shared between threads.
public struct SourceText: Sendable {
  /// The path of the file, as the user named it.
  public let path: String
  /// The text of the file. Bytes that are not UTF-8 are replaced with U+FFFD, and ``encodingFault`` reports where.
  public let text: String
  /// The error if the bytes are not UTF-8: an `invalid-utf8` error at the first invalid byte; otherwise nil.
  public let encodingFault: Diagnostic?

  /// The UTF-8 offset at which each line starts.
  private let lineOffsets: [Int]
  /// The number of Unicode scalars before each line; empty if the text is ASCII, so that both are the same.
  private let lineScalars: [Int]
  /// The number of scalars that start before each block of 256 bytes, so that no lookup depends on the length of a line; empty if the text is ASCII.
  private let blockScalars: [Int]

  /// Creates the text of a file that has already been read and decoded.
  ///
  /// - Parameters:
  ///   - path: The file's path, for messages.
  ///   - text: The text of the file.
  public init(path: String, text: String) {
    self.init(path: path, text: text, encodingFault: nil)
  }

  /// Creates the text of a file from its bytes. Never fails: bytes that are not UTF-8 are reported in ``encodingFault``.
  ///
  /// - Parameters:
  ///   - path: The file's path, for messages.
  ///   - bytes: The contents of the file.
  public init(path: String, bytes: some Collection<UInt8>) {
    if UTF8Validity.looksLikeUTF16(bytes) {
      let fault = Diagnostic(
        code: .invalidUTF8, "the file is UTF-16 or UTF-32 text, where UTF-8 is needed", file: path, range: .beginning,
        fix: "save the file as UTF-8"
      )
      self.init(path: path, text: "", encodingFault: fault)
      return
    }
    if let text = String(validating: bytes, as: UTF8.self) {
      self.init(path: path, text: text, encodingFault: nil)
      return
    }
    let invalid = UTF8Validity.firstInvalidByte(in: bytes)
    let valid = SourceText(path: path, text: String(decoding: bytes.prefix(invalid.offset), as: UTF8.self))
    let start = valid.mark(atUTF8Offset: valid.text.utf8.count)
    let fault = Diagnostic(
      code: .invalidUTF8, "the byte 0x\(Self.hexadecimal(invalid.byte)) is not valid UTF-8", file: path,
      range: SourceRange(start: start, end: SourceMark(line: start.line, column: start.column + 1)),
      fix: "save the file as UTF-8"
    )
    self.init(path: path, text: String(decoding: bytes, as: UTF8.self), encodingFault: fault)
  }

  private init(path: String, text: String, encodingFault: Diagnostic?) {
    var text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    text.makeContiguousUTF8()
    self.path = path
    self.encodingFault = encodingFault
    (lineOffsets, lineScalars) = Self.indexLines(&text)
    blockScalars = lineScalars.isEmpty ? [] : Self.indexBlocks(&text)
    self.text = text
  }

  private static func indexLines(_ text: inout String) -> (offsets: [Int], scalars: [Int]) {
    text.withUTF8 { bytes in
      var offsets = [0]
      var scalars = [0]
      offsets.reserveCapacity(bytes.count / 24)
      var continuations = 0
      var isASCII = true
      var offset = 0
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        if byte >= 0x80 {
          if isASCII {
            isASCII = false
            scalars = offsets
          }
          if byte & 0xC0 == 0x80 { continuations += 1 }
        } else if byte == 0x0A || byte == 0x0D {
          if byte == 0x0D, offset < bytes.count, bytes[offset] == 0x0A { offset += 1 }
          offsets.append(offset)
          if !isASCII { scalars.append(offset - continuations) }
        }
      }
      return (offsets, isASCII ? [] : scalars)
    }
  }

  private static func indexBlocks(_ text: inout String) -> [Int] {
    text.withUTF8 { bytes in
      var blocks: [Int] = []
      blocks.reserveCapacity(bytes.count / 256 + 1)
      var scalars = 0
      for offset in bytes.indices {
        if offset & 255 == 0 { blocks.append(scalars) }
        if bytes[offset] & 0xC0 != 0x80 { scalars += 1 }
      }
      return blocks
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  // MARK: - Lines

  /// The number of lines, at least 1. A text that ends with a line break has an empty last line.
  public var lineCount: Int { lineOffsets.count }

  /// All lines without their line breaks, in order.
  public var lines: [Substring] { (1...lineCount).map(line) }

  /// Returns line `number`, from 1, without its line break; empty if there is no such line.
  public func line(_ number: Int) -> Substring {
    guard number >= 1, number <= lineCount else { return "" }
    let bytes = text.utf8
    let start = bytes.index(bytes.startIndex, offsetBy: lineOffsets[number - 1])
    return text[start..<bytes.index(bytes.startIndex, offsetBy: endOffset(ofLine: number))]
  }

  /// Returns the UTF-8 offset at which line `number` ends, before its line break.
  private func endOffset(ofLine number: Int) -> Int {
    guard number < lineCount else { return text.utf8.count }
    let start = lineOffsets[number - 1]
    var end = lineOffsets[number]
    withBytes { bytes in
      if end > start, bytes[end - 1] == 0x0A { end -= 1 }
      if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    }
    return end
  }

  // MARK: - Places

  /// Returns the position of the byte at `offset` in the UTF-8 text; offsets outside the text yield its first or last position.
  public func mark(atUTF8Offset offset: Int) -> SourceMark {
    let offset = min(max(0, offset), text.utf8.count)
    let line = last(in: lineOffsets, atOrBefore: offset)
    let start = lineOffsets[line]
    guard !lineScalars.isEmpty else { return SourceMark(line: line + 1, column: offset - start + 1) }
    return SourceMark(line: line + 1, column: scalars(before: offset) - lineScalars[line] + 1)
  }

  /// Returns the UTF-8 offset of the scalar at `mark`. A column past the end of its line yields the end of the line, and a line past the end of
  /// the text the end of the text.
  public func utf8Offset(of mark: SourceMark) -> Int {
    guard mark.line >= 1 else { return 0 }
    guard mark.line <= lineCount else { return text.utf8.count }
    let start = lineOffsets[mark.line - 1]
    let end = endOffset(ofLine: mark.line)
    guard !lineScalars.isEmpty else { return min(start + max(0, mark.column - 1), end) }
    return min(offset(ofScalar: lineScalars[mark.line - 1] + max(0, mark.column - 1)), end)
  }

  /// Returns the number of scalars that start before the byte at `offset`.
  private func scalars(before offset: Int) -> Int {
    guard !blockScalars.isEmpty else { return offset }
    let block = min(offset >> 8, blockScalars.count - 1)
    return withBytes { bytes in
      bytes[(block << 8)..<offset].reduce(into: blockScalars[block]) { count, byte in
        if byte & 0xC0 != 0x80 { count += 1 }
      }
    }
  }

  /// Returns the offset at which scalar `index`, from 0, starts.
  private func offset(ofScalar index: Int) -> Int {
    let block = last(in: blockScalars, atOrBefore: index)
    return withBytes { bytes in
      var count = blockScalars[block]
      for offset in (block << 8)..<bytes.count where bytes[offset] & 0xC0 != 0x80 {
        if count == index { return offset }
        count += 1
      }
      return bytes.count
    }
  }

  /// Returns the position of scalar `index`, from 0. The search starts at `line`, from 0, which is set to the line found, so that lookups in text
  /// order need no search.
  func mark(atScalar index: Int, near line: inout Int) -> SourceMark {
    let starts = lineScalars.isEmpty ? lineOffsets : lineScalars
    var steps = 0
    line = min(max(0, line), starts.count - 1)
    while line + 1 < starts.count, starts[line + 1] <= index, steps < 8 {
      line += 1
      steps += 1
    }
    if starts[line] > index || (line + 1 < starts.count && starts[line + 1] <= index) {
      line = last(in: starts, atOrBefore: index)
    }
    return SourceMark(line: line + 1, column: index - starts[line] + 1)
  }

  /// Returns the index of the last of the ascending `starts` that is not greater than `place`, or 0.
  private func last(in starts: [Int], atOrBefore place: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle } else { high = middle }
    }
    return low
  }

  /// Calls `body` with the UTF-8 bytes of the text, which are valid until it returns.
  func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    if let value = text.utf8.withContiguousStorageIfAvailable(body) { return value }
    return Array(text.utf8).withUnsafeBufferPointer(body)
  }
}
