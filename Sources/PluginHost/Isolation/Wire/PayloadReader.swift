import Values

/// Reads the fields of a payload, one after another, trusting none of it.
struct PayloadReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// The kind of the payload's frame, for messages: `begin`.
  private let kind: FrameKind

  init(_ frame: Frame) {
    bytes = frame.payload
    kind = frame.kind
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { offset == bytes.count }

  mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
    let size = MemoryLayout<Value>.size
    guard bytes.count - offset >= size else { throw WireError("a frame '\(kind)' that is too short") }
    defer { offset += size }
    return bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }

  /// Reads the bytes of a text preceded by its length.
  mutating func bytesWithLength() throws(WireError) -> ArraySlice<UInt8> {
    let length = Int(try integer(UInt32.self))
    guard length <= bytes.count - offset else { throw WireError("a frame '\(kind)' whose parts do not fit into it") }
    return try take(length)
  }

  /// Reads the remaining bytes.
  mutating func rest() throws(WireError) -> ArraySlice<UInt8> { try take(bytes.count - offset) }

  mutating func textWithLength() throws(WireError) -> String { try text(bytesWithLength()) }

  mutating func restText() throws(WireError) -> String { try text(rest()) }

  mutating func jsonWithLength() throws(WireError) -> JSONValue { try json(bytesWithLength()) }

  mutating func restJSON() throws(WireError) -> JSONValue { try json(rest()) }

  /// Reads the remaining value; nil if nothing remains.
  mutating func restOptionalJSON() throws(WireError) -> JSONValue? { isAtEnd ? nil : try restJSON() }

  /// Checks that nothing remains.
  func end() throws(WireError) {
    guard isAtEnd else { throw WireError("a frame '\(kind)' with \(bytes.count - offset) bytes too many") }
  }

  private mutating func take(_ length: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard length <= Frame.maximumText else {
      throw WireError("a frame '\(kind)' with a text of \(length) bytes, more than the \(Frame.maximumText) allowed")
    }
    defer { offset += length }
    return bytes[offset..<offset + length]
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(WireError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw WireError("a frame '\(kind)' with a text that is not UTF-8")
    }
    return text
  }

  private func json(_ bytes: ArraySlice<UInt8>) throws(WireError) -> JSONValue {
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw WireError("a frame '\(kind)' that is not JSON: \(error)")
    }
  }
}
