/// Encodes text so that it keeps its meaning inside a URL or a form.
///
/// All characters except the unreserved ones of RFC 3986 (`A–Z a–z 0–9 - . _ ~`) are written as `%XX` of their UTF-8 bytes. This is more than each
/// component requires, and ensures that no value ends its component.
public enum PercentEncoding {
  /// Encodes `text` as one component: a path segment, or a name or value of a query.
  public static func encode(_ text: some StringProtocol) -> String {
    encode(text.utf8, spaceAsPlus: false)
  }

  /// Encodes `bytes` as one component.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    encode(bytes, spaceAsPlus: false)
  }

  /// Decodes `text`.
  ///
  /// - Parameters:
  ///   - text: The encoded text.
  ///   - plusAsSpace: Whether `+` is a space, as in forms.
  /// - Returns: The bytes; nil if a `%` is not followed by two hexadecimal digits.
  public static func decode(_ text: some StringProtocol, plusAsSpace: Bool = false) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusAsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  static func encode(_ bytes: some Sequence<UInt8>, spaceAsPlus: Bool) -> String {
    var encoded: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) {
        encoded.append(byte)
      } else if byte == UInt8(ascii: " "), spaceAsPlus {
        encoded.append(UInt8(ascii: "+"))
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(hexadecimal(byte >> 4))
        encoded.append(hexadecimal(byte & 15))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
