/// Finds frames in the bytes of a stream, in whatever pieces they come.
///
/// Holds at most one frame that is not whole, and never makes room for bytes that a header only announces.
struct FrameDecoder {
  private var bytes: [UInt8] = []
  /// How many of `bytes` were handed out already.
  private var start = 0

  init() {}

  /// The bytes that wait for the rest of their frame.
  var pending: Int { bytes.count - start }

  /// Takes over what was read.
  mutating func append(_ piece: UnsafeRawBufferPointer) {
    if start == bytes.count {
      // Memory that one large frame needed is given back.
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
      start = 0
    } else if start > 1 << 16 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// The next frame; nil until more was read.
  ///
  /// - Throws: ``WireError`` where a header is none. The stream cannot be followed from there on.
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
