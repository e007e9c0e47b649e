import PipelineLanguage
import Values

/// Output of JSON and comma-separated values: unchanged in a pipe or a file, and safe on a terminal.
extension TextOutput {
  /// Writes `value` as a line of JSON.
  func writeLine(_ value: JSONValue) {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    bytes.append(0x0A)
    writeJSON(bytes)
  }

  /// Writes JSON text. On a terminal, control characters are escaped, which does not change the meaning.
  func writeJSON(_ bytes: [UInt8]) {
    guard isTerminal else { return write(bytes) }
    write(Self.escaped(String(decoding: bytes, as: UTF8.self)))
  }

  /// Writes `cells` as a line of comma-separated values. On a terminal, control characters are made visible.
  func writeCSV(_ cells: [String]) {
    write(CSV.line(isTerminal ? cells.map { TerminalText.visible($0) } : cells))
  }

  /// Writes objects as comma-separated values: the names of `columns`, then a line with these members of each object.
  func writeCSV(_ objects: some Sequence<JSONValue>, columns: [String]) {
    writeCSV(columns)
    for object in objects {
      if isGone { return }
      writeCSV(columns.map { object[$0].map(Self.cell) ?? "" })
    }
  }

  /// Returns a string as it is, null as an empty cell, and any other value as JSON.
  private static func cell(_ value: JSONValue) -> String {
    value == .null ? "" : value.stringValue ?? value.text
  }

  /// Returns JSON with control characters escaped, as in `\u001b`. Outside of strings, JSON has none except line feeds, which are kept.
  static func escaped(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar != "\n", TerminalText.isActing(scalar) else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}
