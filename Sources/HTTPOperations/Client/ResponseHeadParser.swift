import HTTPTypes

/// Reads the lines of a head as libcurl hands them over: a status line, then fields.
enum ResponseHeadParser {
  /// The head in `bytes`, which hold no empty line but the last.
  ///
  /// What is not a field is left out: libcurl has read the head already and refused what it cannot understand.
  static func parse(_ bytes: [UInt8], url: String, remoteAddress: String?) -> HTTPResponseHead? {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst(), let (version, status) = statusLine(first) else { return nil }
    var fields = HTTPFields()
    fields.reserveCapacity(lines.count)
    var last: HTTPField?
    for line in lines {
      if let start = line.first, start == UInt8(ascii: " ") || start == UInt8(ascii: "\t") {
        // A value that goes on in the next line, as it was allowed once.
        guard let field = last else { continue }
        last = HTTPField(name: field.name, value: field.value + " " + text(trim(line)))
        continue
      }
      if let last { fields.append(last) }
      last = nil
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = HTTPField.Name(text(line[..<colon])) else {
        continue
      }
      last = HTTPField(name: name, value: text(trim(line[line.index(after: colon)...])))
    }
    if let last { fields.append(last) }
    return HTTPResponseHead(
      status: status, fields: fields, version: version, url: url, remoteAddress: remoteAddress)
  }

  /// The status that a status line tells, without anything else of it.
  static func status(_ line: some Collection<UInt8>) -> Int? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard parts.count > 1 else { return nil }
    let digits = parts[1].prefix { (48...57).contains($0) }
    guard digits.count == 3 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func statusLine(_ line: ArraySlice<UInt8>) -> (HTTPVersion, HTTPResponse.Status)? {
    guard line.starts(with: "HTTP/".utf8), let code = status(line) else { return nil }
    let version: HTTPVersion =
      switch line.dropFirst(5).first {
      case UInt8(ascii: "2"): .http2
      case UInt8(ascii: "3"): .http3
      default: line.dropFirst(7).first == UInt8(ascii: "0") ? .http1_0 : .http1_1
      }
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    let known = HTTPResponse.Status(code: code)
    guard parts.count > 2 else { return (version, known) }
    let reason = trim(parts[2])
    // The usual reason is shared, not copied.
    if reason.elementsEqual(known.reasonPhrase.utf8) { return (version, known) }
    return (version, HTTPResponse.Status(code: code, reasonPhrase: text(reason)))
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
