/// One property line of a file, such as `DTSTART;VALUE=DATE:20260101`.
struct ICalendarLine {
  /// The line in the file where the property begins, from 1.
  var number: Int
  /// The name, in capitals.
  var name: String
  /// The parameters, keyed by name in capitals.
  var parameters: [String: String]
  var value: String

  /// The maximum length of an unfolded line, in bytes; longer lines are rejected.
  static let maximumLength = 100_000

  /// Returns the unfolded lines of a file, without empty ones.
  static func lines(of bytes: [UInt8]) throws(ICalendarError) -> [ICalendarLine] {
    var lines: [ICalendarLine] = []
    var pending: [UInt8] = []
    var pendingNumber = 1
    var number = 0
    var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while at < bytes.count {
      let end = bytes[at...].firstIndex(of: 0x0A) ?? bytes.count
      var content = bytes[at..<end]
      if content.last == 0x0D { content.removeLast() }
      at = end + 1
      number += 1
      if number > 1, content.first == 0x20 || content.first == 0x09 {
        pending += content.dropFirst()
        guard pending.count <= maximumLength else {
          throw ICalendarError(line: pendingNumber, message: "the line is longer than \(maximumLength) bytes")
        }
        continue
      }
      if let line = try line(pending, number: pendingNumber) { lines.append(line) }
      pending = Array(content)
      pendingNumber = number
    }
    if let line = try line(pending, number: pendingNumber) { lines.append(line) }
    return lines
  }

  private static func line(_ bytes: [UInt8], number: Int) throws(ICalendarError) -> ICalendarLine? {
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
    guard bytes.count <= maximumLength else {
      throw ICalendarError(line: number, message: "the line is longer than \(maximumLength) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ICalendarError(line: number, message: "the line is not UTF-8")
    }
    // A colon inside quotes belongs to a parameter.
    var parts: [String] = [""]
    var isQuoted = false
    var value: String?
    for (index, character) in zip(text.unicodeScalars.indices, text.unicodeScalars) {
      switch character {
      case "\"": isQuoted.toggle()
      case ":" where !isQuoted: value = String(text.unicodeScalars[text.unicodeScalars.index(after: index)...])
      case ";" where !isQuoted: parts.append("")
      default: parts[parts.count - 1].unicodeScalars.append(character)
      }
      if value != nil { break }
    }
    guard let value, let name = parts.first, !name.isEmpty,
      name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x2D })
    else {
      throw ICalendarError(line: number, message: "the line is not a 'NAME:value', so the file is not a calendar")
    }
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else { continue }
      parameters[part[..<equals].uppercased()] = String(part[part.index(after: equals)...])
    }
    return ICalendarLine(number: number, name: name.uppercased(), parameters: parameters, value: value)
  }

  /// The value with its escapes resolved: `\n`, `\,`, `\;` and `\\`.
  var text: String {
    var text = ""
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if isEscaped {
        text.unicodeScalars.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  func error(_ message: String) -> ICalendarError {
    ICalendarError(line: number, message: message)
  }
}
