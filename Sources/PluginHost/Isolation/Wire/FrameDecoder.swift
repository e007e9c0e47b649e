/// Extracts frames from the bytes of a stream, which may arrive in pieces of any size.
///
/// It holds at most one incomplete frame, and never allocates memory for bytes that a header merely announces.
struct FrameDecoder {
  private var bytes: [UInt8] = []
  /// How many of `bytes` have been consumed.
  private var start = 0

  init() {}

  /// The number of bytes of an incomplete frame.
  var pending: Int { bytes.count - start }

  /// Appends bytes that were read.
  mutating func append(_ piece: UnsafeRawBufferPointer) {
    if start == bytes.count {
      // Release the memory that one large frame needed.
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
      start = 0
    } else if start > 1 << 16 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// Returns the next frame; nil until more bytes were read.
  ///
  /// - Throws: ``WireError`` if a header is invalid. The rest of the stream cannot be decoded.
  mutating func next() throws(WireError) -> Frame? {
    guard pending >= Frame.headerSize else { return nil }
    let length = Int(integer(UInt32.self, at: start))
    let kindByte = bytes[start + 4]
    let id = integer(UInt64.self, at: start + 5)
    guard let kind = FrameKind(rawValue: kindByte) else { throw WireError("a frame of unknown kind \(kindByte)") }
    guard length <= Frame.maximumPayload else {
      throw WireError("a frame of \(length) bytes, more than the \(Frame.maximumPayload) that are allowed")
    }
    guard pending >= Frame.headerSize + length else { return nil }
    let payloadStart = start + Frame.headerSize
    start = payloadStart + length
    return Frame(kind: kind, id: id, payload: Array(bytes[payloadStart..<start]))
  }

  private func integer<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
    bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }
}
