import Crypto
import Glibc
import OperatingSystem

/// The expected hash of a file's content.
public struct HTTPChecksum: Sendable, Hashable, CustomStringConvertible {
  /// A hash function.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512
    /// SHA-1. Detects accidents, not attacks.
    case sha1
    /// MD5. Detects accidents, not attacks.
    case md5

    fileprivate var digits: Int {
      switch self {
      case .sha256: 64
      case .sha384: 96
      case .sha512: 128
      case .sha1: 40
      case .md5: 32
      }
    }
  }

  /// The hash function.
  public let algorithm: Algorithm
  /// The hash, in lower-case hexadecimal digits.
  public let digest: String

  /// Parses `sha256:`, or another algorithm, followed by hexadecimal digits; nil if the text is invalid or has the wrong length.
  public init?(_ text: String) {
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let algorithm = Algorithm(rawValue: halves[0].lowercased()),
      halves[1].utf8.count == algorithm.digits,
      halves[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    self.algorithm = algorithm
    digest = halves[1].lowercased()
  }

  /// The checksum in the format that ``init(_:)`` parses.
  public var description: String { "\(algorithm.rawValue):\(digest)" }

  /// Returns the hash of an open file, from its beginning, in lower-case hexadecimal digits. Blocks.
  static func digest(_ algorithm: Algorithm, of descriptor: Int32, path: String) throws(FileError) -> String {
    switch algorithm {
    case .sha256: try digest(SHA256.self, of: descriptor, path)
    case .sha384: try digest(SHA384.self, of: descriptor, path)
    case .sha512: try digest(SHA512.self, of: descriptor, path)
    case .sha1: try digest(Insecure.SHA1.self, of: descriptor, path)
    case .md5: try digest(Insecure.MD5.self, of: descriptor, path)
    }
  }

  private static func digest<Function: HashFunction>(
    _: Function.Type, of descriptor: Int32, _ path: String
  ) throws(FileError) -> String {
    var function = Function()
    var piece = [UInt8](repeating: 0, count: 1024 * 1024)
    var offset: off_t = 0
    while true {
      let count = SystemCall.retrying { pread(descriptor, &piece, piece.count, offset) }
      guard count >= 0 else { throw FileError(path, errno) }
      if count == 0 { break }
      piece.withUnsafeBytes { function.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += off_t(count)
    }
    return Self.hexadecimal(function.finalize())
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
