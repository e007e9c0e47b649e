import Testing

@testable import PluginHost

@Suite("Frames of the connection to a child host")
struct FrameDecoderTests {
  private func bytes(_ kind: FrameKind, _ id: UInt64, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    Frame.append(kind, id: id, to: &bytes) { $0 += payload }
    return bytes
  }

  private func decode(_ pieces: [[UInt8]]) throws -> [Frame] {
    var decoder = FrameDecoder()
    var frames: [Frame] = []
    for piece in pieces {
      piece.withUnsafeBytes { decoder.append($0) }
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return frames
  }

  @Test("a header is 13 bytes: length, kind and id, least significant byte first")
  func layout() {
    #expect(bytes(.pong, 0x0102_0304, [7, 8]) == [2, 0, 0, 0, 77, 4, 3, 2, 1, 0, 0, 0, 0, 7, 8])
  }

  @Test("frames are decoded unchanged, in whatever pieces they arrive", arguments: [1, 2, 3, 12, 13, 14, 1000])
  func pieces(size: Int) throws {
    let frames = [
      Frame(kind: .ping, id: 1), Frame(kind: .completed, id: .max, payload: Array("\"x\"".utf8)),
      Frame(kind: .close, id: 0), Frame(kind: .logged, id: 9, payload: Array(repeating: 5, count: 300)),
    ]
    let stream = frames.flatMap { bytes($0.kind, $0.id, $0.payload) }
    let pieces = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
    #expect(try decode(pieces) == frames)
  }

  @Test("an unknown kind and an excessive length end the stream at their header")
  func refused() {
    var unknown = bytes(.ping, 1, [])
    unknown[4] = 12
    #expect(throws: WireError("a frame of unknown kind 12")) { try decode([unknown]) }
    var long = bytes(.ping, 1, [])
    long.replaceSubrange(0..<4, with: [255, 255, 255, 255])
    #expect(throws: WireError("a frame of 4294967295 bytes, more than the 33555456 that are allowed")) {
      try decode([long])
    }
  }

  @Test("an announced length allocates no memory")
  func announced() throws {
    var header = bytes(.completed, 1, [])
    header.replaceSubrange(0..<4, with: [0, 0, 0, 2])
    var decoder = FrameDecoder()
    header.withUnsafeBytes { decoder.append($0) }
    #expect(try decoder.next() == nil)
    #expect(decoder.pending == Frame.headerSize)
  }
}
