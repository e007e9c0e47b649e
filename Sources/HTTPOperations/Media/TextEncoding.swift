/// The text encodings supported for the bodies of responses.
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
  /// UTF-8.
  case utf8 = "utf-8"
  /// UTF-16, in the byte order of the byte order mark; big-endian without one.
  case utf16 = "utf-16"
  /// UTF-16, big-endian.
  case utf16BigEndian = "utf-16be"
  /// UTF-16, little-endian.
  case utf16LittleEndian = "utf-16le"
  /// ASCII.
  case ascii = "us-ascii"
  /// ISO 8859-1: each byte is the code point of its character.
  case latin1 = "iso-8859-1"
  /// Windows-1252: like ISO 8859-1, but with printable characters from 0x80 to 0x9F.
  case windows1252 = "windows-1252"

  /// Creates the encoding named by a `charset`, in any case; nil if it is not supported.
  public init?(charset: String) {
    switch charset.lowercased() {
    case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
    case "utf-16", "utf16": self = .utf16
    case "utf-16be": self = .utf16BigEndian
    case "utf-16le": self = .utf16LittleEndian
    case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": self = .ascii
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1": self = .latin1
    case "windows-1252", "cp1252", "x-cp1252": self = .windows1252
    default: return nil
    }
  }

  /// Decodes `bytes`; nil if they are invalid in this encoding. A byte order mark is not part of the text.
  public func decode(_ bytes: [UInt8]) -> String? {
    switch self {
    case .utf8: String(validating: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    case .utf16:
      bytes.starts(with: [0xFF, 0xFE]) ? Self.utf16(bytes, isHighFirst: false) : Self.utf16(bytes, isHighFirst: true)
    case .utf16BigEndian: Self.utf16(bytes, isHighFirst: true)
    case .utf16LittleEndian: Self.utf16(bytes, isHighFirst: false)
    case .ascii: bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    case .latin1: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    case .windows1252: Self.windows1252(bytes)
    }
  }

  private static func utf16(_ bytes: [UInt8], isHighFirst: Bool) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    var units = stride(from: 0, to: bytes.count, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isHighFirst ? first << 8 | second : second << 8 | first
    }
    if units.first == 0xFEFF { units.removeFirst() }
    return String(validating: units, as: UTF16.self)
  }

  /// 0x80 to 0x9F as in the WHATWG Encoding Standard; the five values that Windows leaves unassigned map to themselves.
  private static let windowsScalars: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  private static func windows1252(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      let value = (0x80...0x9F).contains(byte) ? windowsScalars[Int(byte) - 0x80] : UInt16(byte)
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    return String(scalars)
  }
}
