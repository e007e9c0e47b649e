/// Reads a file of `NAME=value` lines, as `docker compose` and Node do, but without expansion.
///
/// A line is blank, a comment that starts with `#`, or `NAME=value`, optionally after `export`. An unquoted value ends with its line, or before a `#`
/// that follows white space; surrounding white space is not part of it. In single quotes, everything is literal. In double quotes, `\n`, `\r`, `\t`,
/// `\"`, `\\` and `\$` are escapes, and any other backslash is literal. Quoted values may span lines. `$NAME`, `${NAME}` and `$(command)` are literal
/// text.
struct DotenvReader {
  /// A `NAME=value` entry.
  struct Entry: Sendable {
    let name: String
    let value: String
    let nameRange: SourceRange
    /// The range of the value, including its quotes.
    let valueRange: SourceRange
  }

  private let source: SourceText
  private let bytes: [UInt8]
  private var place = 0
  /// The line of each name.
  private var lines: [String: Int] = [:]
  private(set) var entries: [Entry] = []
  private(set) var diagnostics: [Diagnostic] = []

  /// Reads all of `source`. Errors are in ``diagnostics``, valid entries in ``entries``.
  init(_ source: SourceText) {
    self.source = source
    bytes = Array(source.text.utf8)
    if let fault = source.encodingFault {
      diagnostics = [fault]
    } else if bytes.count > YAMLReader.maximumSize {
      error(.fileTooLarge, "the file is larger than the \(YAMLReader.maximumSize >> 20) MiB allowed", 0, 0)
    } else {
      while place < bytes.count { readLine() }
    }
  }

  /// The maximum number of findings; a file with more of them is not a dotenv file.
  private static let maximumFindings = 100

  private mutating func error(
    _ code: DiagnosticCode, _ message: String, _ start: Int, _ end: Int, fix: String? = nil,
    _ severity: Diagnostic.Severity = .error
  ) {
    guard diagnostics.count < Self.maximumFindings else { return }
    diagnostics.append(
      Diagnostic(severity, code: code, message, file: source.path, range: range(start, max(end, start + 1)), fix: fix))
  }

  private func range(_ start: Int, _ end: Int) -> SourceRange {
    SourceRange(start: source.mark(atUTF8Offset: start), end: source.mark(atUTF8Offset: end))
  }

  private func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : Self.lineFeed }

  private static let lineFeed = UInt8(ascii: "\n")
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private mutating func skipBlanks() {
    while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
  }

  /// Returns the end of the line that contains `offset`, without its line break.
  private func lineEnd(from offset: Int) -> Int {
    var end = offset
    while end < bytes.count, !Self.isLineEnd(bytes[end]) { end += 1 }
    return end
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func readLine() {
    skipBlanks()
    if Self.isLineEnd(byte(at: place)) {
      place += 1
      return
    }
    guard bytes[place] != UInt8(ascii: "#") else { return place = lineEnd(from: place) }
    skipExport()
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "="), !Self.isLineEnd(bytes[place]) { place += 1 }
    guard byte(at: place) == UInt8(ascii: "=") else {
      // The line is not quoted, because it may be part of a secret with wrong quotes.
      return error(.dotenvSyntax, "this line is not 'NAME=value'", start, place, fix: "begin a comment with '#'")
    }
    var end = place
    while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
    let nameEnd = end
    place += 1
    skipBlanks()
    let valueStart = place
    guard let value = value() else { return }
    let valueEnd = place
    guard isWhole(after: valueStart) else { return }
    let name = text(start..<nameEnd)
    guard DocumentReader.NameRule.member.allows(name) else {
      return error(
        .invalidName, "a name may contain \(DocumentReader.NameRule.member.text)", start, nameEnd)
    }
    let nameRange = range(start, nameEnd)
    if let first = lines.updateValue(nameRange.start.line, forKey: name) {
      return error(
        .duplicateKey, "'\(name)' is already defined on line \(first)", start, nameEnd, fix: "remove one of the two")
    }
    if value.utf8.contains(0) {
      return error(.dotenvSyntax, "the value contains a NUL character", valueStart, valueEnd)
    }
    entries.append(
      Entry(name: name, value: value, nameRange: nameRange, valueRange: range(valueStart, valueEnd)))
  }

  private mutating func skipExport() {
    let word = Array("export".utf8)
    let end = place + word.count
    guard end < bytes.count, bytes[place..<end].elementsEqual(word), Self.isBlank(bytes[end]) else { return }
    place = end
    skipBlanks()
  }

  /// Reads the value at the current position; returns nil if its quote is not closed, which is reported.
  private mutating func value() -> String? {
    switch byte(at: place) {
    case UInt8(ascii: "'"): return singleQuoted()
    case UInt8(ascii: "\""): return doubleQuoted()
    default: return unquoted()
    }
  }

  private mutating func unquoted() -> String {
    let start = place
    let lineEnd = lineEnd(from: start)
    var end = lineEnd
    var at = start
    while at < lineEnd {
      if bytes[at] == UInt8(ascii: "#"), Self.isBlank(bytes[at - 1]) {
        end = at
        break
      }
      at += 1
    }
    while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
    place = end
    warnOfExpansion(in: start..<end)
    return text(start..<end)
  }

  private mutating func singleQuoted() -> String? {
    let start = place
    guard let end = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "'")) else { return unclosed("'") }
    place = end + 1
    return text(start + 1..<end)
  }

  private mutating func doubleQuoted() -> String? {
    let start = place
    var value: [UInt8] = []
    var at = start + 1
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        place = at + 1
        warnOfExpansion(in: start..<at)
        return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "\\") where at + 1 < bytes.count:
        at += 1
        switch bytes[at] {
        case UInt8(ascii: "n"): value.append(0x0A)
        case UInt8(ascii: "r"): value.append(0x0D)
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): value.append(bytes[at])
        default: value += [UInt8(ascii: "\\"), bytes[at]]
        }
      default: value.append(bytes[at])
      }
      at += 1
    }
    return unclosed("\"")
  }

  private mutating func unclosed(_ quote: String) -> String? {
    error(.dotenvSyntax, "the quote \(quote) is not closed", place, place + 1)
    place = bytes.count
    return nil
  }

  /// Returns whether only a comment follows a value on its line; advances to the end of the line.
  private mutating func isWhole(after start: Int) -> Bool {
    let end = place
    skipBlanks()
    defer { place = lineEnd(from: place) }
    if Self.isLineEnd(byte(at: place)) { return true }
    if byte(at: place) == UInt8(ascii: "#"), place > end || end == start { return true }
    let isSingle = bytes[start] == UInt8(ascii: "'")
    error(
      .dotenvSyntax, "there is text after the closing quote", place, lineEnd(from: place),
      fix: isSingle ? "nothing is escaped in single quotes; use double quotes" : "write a quote in the value as \\\"")
    return false
  }

  /// Warns of `${NAME}` and `$(command)`, which other readers would expand.
  private mutating func warnOfExpansion(in range: Range<Int>) {
    var at = range.lowerBound
    while at + 1 < range.upperBound {
      defer { at += 1 }
      if bytes[at] == UInt8(ascii: "\\") {
        at += 1
        continue
      }
      guard bytes[at] == UInt8(ascii: "$"), bytes[at + 1] == UInt8(ascii: "{") || bytes[at + 1] == UInt8(ascii: "(")
      else { continue }
      return error(
        .dotenvSyntax, "nothing is expanded here: '\(text(at..<at + 2))' stands for itself", at, at + 2,
        fix: "put the value in single quotes to say so", .warning)
    }
  }
}
