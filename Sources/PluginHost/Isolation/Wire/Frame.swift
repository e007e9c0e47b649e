/// One message between a host and its child host, as sent on the wire.
///
/// A frame is a header of 13 bytes, in little-endian order, and a payload:
///
/// | bytes | meaning |
/// |---|---|
/// | 4 | length of the payload |
/// | 1 | kind |
/// | 8 | the instance, request or number that it refers to; 0 for none |
///
/// The connection is a stream socket pair. Packets would make the length unnecessary, but a packet must fit into the socket's buffer, some 200 KiB
/// by default, and a result may have 16 MiB.
struct Frame: Hashable, Sendable {
  /// The size of a header in bytes.
  static let headerSize = 13

  /// The maximum size of one text, in bytes: the contract's limit for payloads.
  static let maximumText = 16 << 20

  /// The maximum size of a payload, in bytes: two texts, settings and input, and the fields before them.
  static let maximumPayload = 2 * maximumText + 1024

  var kind: FrameKind
  var id: UInt64
  var payload: [UInt8] = []

  /// Appends a frame to `bytes`, with a payload that `write` appends.
  static func append(
    _ kind: FrameKind, id: UInt64, to bytes: inout [UInt8], payload write: (inout [UInt8]) -> Void = { _ in }
  ) {
    let start = bytes.count
    bytes.appendInteger(UInt32(0))
    bytes.append(kind.rawValue)
    bytes.appendInteger(id)
    write(&bytes)
    let length = UInt32(clamping: bytes.count - start - headerSize)
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
  }
}

/// The kind of a frame.
enum FrameKind: UInt8, CaseIterable, Sendable {
  // From the host.
  case hello = 1
  case begin = 2
  case stop = 3
  case destroy = 4
  case answer = 5
  case ping = 6
  case close = 7
  case woken = 8
  case check = 9
  case settled = 10
  case foresee = 11
  // From the child.
  case ready = 65
  case refused = 66
  case completed = 67
  case failed = 68
  case progressed = 69
  case yieldedState = 70
  case yieldedError = 71
  case yieldedRerun = 72
  case yieldedReset = 73
  case changed = 74
  case logged = 75
  case request = 76
  case pong = 77
  case hanging = 78
  case wake = 79
  case cancelWake = 80
  case stuck = 81
  case leftOut = 82
}

extension [UInt8] {
  /// Appends the bytes of `value`, least significant first.
  mutating func appendInteger<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a text's length as 4 bytes, then the text that `write` appends.
  mutating func appendText(_ write: (inout [UInt8]) -> Void) {
    let start = count
    appendInteger(UInt32(0))
    write(&self)
    let length = UInt32(clamping: count - start - 4)
    for index in 0..<4 { self[start + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
  }
}
