import HTTPTypes

/// Parses the lines of a head as libcurl delivers them: a status line, then fields.
enum ResponseHeadParser {
  /// Parses the head in `bytes`, which contain no empty line except the last.
  ///
  /// Lines that are not fields are skipped: libcurl has parsed the head already and rejected what it does not understand.
  static func parse(_ bytes: [UInt8], url: String, remoteAddress: String?) -> HTTPResponseHead? {
    // A buffer avoids reference counting of array slices, for every response.
    bytes.withUnsafeBufferPointer { bytes in
      var lines = Lines(rest: bytes[...])
      guard let first = lines.next(), let (version, status) = statusLine(first) else { return nil }
      return HTTPResponseHead(
        status: status, fields: fields(of: &lines), version: version, url: url, remoteAddress: remoteAddress)
    }
  }

  /// Returns only the status code of a status line.
  static func status(_ line: some Collection<UInt8>) -> Int? {
    let digits = line.drop { $0 != blank }.drop { $0 == blank }.prefix { (48...57).contains($0) }
    guard digits.count == 3 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>
  private static let blank = UInt8(ascii: " ")

  /// The non-empty lines, without line breaks.
  private struct Lines: IteratorProtocol {
    var rest: Bytes

    mutating func next() -> Bytes? {
      while !rest.isEmpty {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        if !line.isEmpty { return line }
      }
      return nil
    }
  }

  private static func fields(of lines: inout Lines) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(16)
    var last: HTTPField?
    while let line = lines.next() {
      if let start = line.first, start == blank || start == UInt8(ascii: "\t") {
        // A value continued on the next line, which HTTP once allowed.
        guard let field = last else { continue }
        last = HTTPField(name: field.name, value: field.value + " " + text(trim(line)))
        continue
      }
      if let last { fields.append(last) }
      last = nil
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = HTTPField.Name(text(line[..<colon])) else {
        continue
      }
      last = HTTPField(name: name, value: text(trim(line[(colon + 1)...])))
    }
    if let last { fields.append(last) }
    return fields
  }

  private static func statusLine(_ line: Bytes) -> (HTTPVersion, HTTPResponse.Status)? {
    guard line.starts(with: "HTTP/".utf8), let code = status(line) else { return nil }
    let version: HTTPVersion =
      switch line.dropFirst(5).first {
      case UInt8(ascii: "2"): .http2
      case UInt8(ascii: "3"): .http3
      default: line.dropFirst(7).first == UInt8(ascii: "0") ? .http1_0 : .http1_1
      }
    let known = HTTPResponse.Status(code: code)
    let afterVersion = line.drop { $0 != blank }.drop { $0 == blank }
    let reason = trim(afterVersion.drop { $0 != blank })
    // The standard reason phrase is shared, not copied.
    if reason.isEmpty || reason.elementsEqual(known.reasonPhrase.utf8) { return (version, known) }
    return (version, HTTPResponse.Status(code: code, reasonPhrase: text(reason)))
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func trim(_ bytes: Bytes) -> Bytes {
    func isBlank(_ byte: UInt8) -> Bool { byte == blank || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
