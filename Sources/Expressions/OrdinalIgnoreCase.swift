/// Compares text like .NET's `OrdinalIgnoreCase`, which GitHub Actions uses everywhere: scalar by scalar, after mapping
/// each one to uppercase on its own, without locale, normalisation or mappings that change the length.
package enum OrdinalIgnoreCase {
  /// Returns whether two texts are equal, ignoring case.
  package static func equal(_ left: String, _ right: String) -> Bool { compare(left, right) == 0 }

  /// Returns a negative number if `left` sorts before `right`, 0 if they are equal, and a positive one otherwise. The order is that of UTF-16 code units.
  static func compare(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    // ASCII prefixes are compared as bytes; the first non-ASCII byte switches to the slow path.
    let quick: Int? = left.withUTF8 { left in
      right.withUTF8 { right in
        for index in 0..<min(left.count, right.count) {
          let (one, other) = (left[index], right[index])
          if one | other >= 0x80 { return nil }
          let difference = Int(upper(one)) - Int(upper(other))
          if difference != 0 { return difference }
        }
        return left.count - right.count
      }
    }
    return quick ?? compareScalars(left, right)
  }

  /// Returns whether `part` occurs anywhere in `text`; the empty text occurs in every text.
  static func contains(_ text: String, _ part: String) -> Bool {
    if part.isEmpty { return true }
    let text = folded(text)
    let part = folded(part)
    guard text.count >= part.count else { return false }
    // Knuth-Morris-Pratt, so that no text takes quadratic time.
    var failures = [Int](repeating: 0, count: part.count)
    var matched = 0
    for index in 1..<part.count {
      while matched > 0, part[index] != part[matched] { matched = failures[matched - 1] }
      if part[index] == part[matched] { matched += 1 }
      failures[index] = matched
    }
    matched = 0
    for byte in text {
      while matched > 0, byte != part[matched] { matched = failures[matched - 1] }
      if byte == part[matched] { matched += 1 }
      if matched == part.count { return true }
    }
    return false
  }

  /// Returns whether `text` begins with `part`.
  static func hasPrefix(_ text: String, _ part: String) -> Bool { folded(text).starts(with: folded(part)) }

  /// Returns whether `text` ends with `part`.
  static func hasSuffix(_ text: String, _ part: String) -> Bool {
    let text = folded(text)
    let part = folded(part)
    return text.count >= part.count && text.suffix(part.count).elementsEqual(part)
  }

  /// Returns the UTF-8 bytes of `text` in uppercase. UTF-8 marks where scalars begin, so bytes only match at scalar boundaries.
  private static func folded(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) {
      for index in bytes.indices { bytes[index] = upper(bytes[index]) }
      return bytes
    }
    bytes.removeAll(keepingCapacity: true)
    for scalar in text.unicodeScalars {
      bytes.append(contentsOf: UTF8.encode(upper(scalar)) ?? UTF8.encodedReplacementCharacter)
    }
    return bytes
  }

  private static func compareScalars(_ left: String, _ right: String) -> Int {
    var lefts = left.unicodeScalars.makeIterator()
    var rights = right.unicodeScalars.makeIterator()
    while true {
      switch (lefts.next(), rights.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let one?, let other?):
        let (one, other) = (upper(one).value, upper(other).value)
        if one == other { continue }
        // Scalars beyond U+FFFF are surrogates in UTF-16, which sort before U+E000.
        let isSwapped = (one > 0xFFFF) != (other > 0xFFFF) && min(one, other) >= 0xE000
        if isSwapped { return one > other ? -1 : 1 }
        return one < other ? -1 : 1
      }
    }
  }

  private static func upper(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "a") < 26 ? byte & 0xDF : byte }

  private static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value < 0x80 { return Unicode.Scalar(upper(UInt8(scalar.value))) }
    // .NET does not map the dotless i and the long s, so neither equals an ASCII letter.
    if scalar.value == 0x131 || scalar.value == 0x17F { return scalar }
    for mapping in [scalar.properties.uppercaseMapping, scalar.properties.titlecaseMapping] {
      var scalars = mapping.unicodeScalars.makeIterator()
      if let only = scalars.next(), scalars.next() == nil { return only }
    }
    return scalar
  }
}
