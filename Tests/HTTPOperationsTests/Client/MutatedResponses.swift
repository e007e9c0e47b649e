import OperationsTesting

/// Typical responses of servers with random mutations: bytes that are changed, removed, repeated or copied from elsewhere.
enum MutatedResponses {
  /// The letter `a` a hundred times, compressed with gzip.
  private static let gzip: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c, 0xa4, 0x3d, 0, 0, 0xd3, 0x6e, 0x34, 0xaf, 0x64, 0, 0, 0,
  ]

  private static func text(_ head: String, _ body: [UInt8] = []) -> [UInt8] {
    Array("HTTP/1.1 \(head)\r\n\r\n".utf8) + body
  }

  /// HTTP/1 responses.
  static let plain: [[UInt8]] = [
    text("200 OK\r\nContent-Length: 5", Array("hello".utf8)),
    text(
      "200 OK\r\nTransfer-Encoding: chunked", Array("5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nTrailer: x\r\n\r\n".utf8)),
    text("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)", gzip),
    text(
      "200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked",
      Array("18\r\n".utf8) + gzip + Array("\r\n0\r\n\r\n".utf8)),
    text("103 Early Hints\r\nLink: x") + text("200 OK\r\nContent-Length: 0\r\nX-Folded: a\r\n b"),
    text("302 Found\r\nLocation: /there\r\nContent-Length: 0"),
    text("204 No Content\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d"),
    text("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2", Array("no".utf8)),
    text("206 Partial Content\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5", Array("hello".utf8)),
    text("101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade"),
    Array("HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nuntil the end".utf8),
  ]

  /// HTTP/2 responses: settings, their acknowledgement, then a head and a body in the first stream.
  static let frames: [[UInt8]] = [
    [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
      + [0, 0, 5, 0, 1, 0, 0, 0, 1] + Array("hello".utf8),
    [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1, 1, 5, 0, 0, 0, 1, 0x89]
      + [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
    [
      0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
      0,
    ],
  ]

  /// The words that a mutation can insert.
  private static let words: [[UInt8]] =
    [
      "\r\n", "\r\n\r\n", "\n", "\0", ":", "HTTP/1.1 ", "HTTP/9.9 200", "Content-Length: 99999999999999999999\r\n",
      "Content-Length: 1\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Content-Encoding: br, zstd, deflate\r\n",
      "ffffffffffffffff\r\n", "-1\r\n", "0\r\n\r\n", "Connection: close\r\n", " 100 \r\n\r\n", "\u{ff}\u{fe}",
    ].map { Array($0.utf8) } + [[UInt8](repeating: 65, count: 20_000), [0xff, 0xff, 0xff, 4, 0, 0, 0, 0, 0]]

  /// Returns a response with one to eight mutations.
  static func response(from corpus: [[UInt8]], using random: inout SeededRandom) -> [UInt8] {
    var bytes = random.element(of: corpus)
    for _ in 0...random.next(below: 8) { mutate(&bytes, corpus, &random) }
    return bytes
  }

  private static func mutate(_ bytes: inout [UInt8], _ corpus: [[UInt8]], _ random: inout SeededRandom) {
    let start = random.next(below: bytes.count + 1)
    let end = min(bytes.count, start + random.next(below: 12))
    switch random.next(below: 7) {
    case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8(random.next(below: 8))
    case 1 where start < bytes.count: bytes[start] = UInt8(random.next(below: 256))
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 4: bytes.insert(contentsOf: random.element(of: words), at: start)
    case 5: bytes.removeSubrange(start...)
    default: bytes.append(contentsOf: random.element(of: corpus).suffix(random.next(below: 60)))
    }
  }
}
