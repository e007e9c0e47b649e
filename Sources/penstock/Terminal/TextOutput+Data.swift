import PipelineLanguage
import Values

/// JSON and comma-separated values: exactly what they are in a pipe or a file, and harmless on a terminal.
extension TextOutput {
  /// Writes `value` as a line of JSON.
  func writeLine(_ value: JSONValue) {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    bytes.append(0x0A)
    writeJSON(bytes)
  }

  /// Writes text that is JSON. What would act on a terminal is escaped there, which does not change what the text means.
  func writeJSON(_ bytes: [UInt8]) {
    guard isTerminal else { return write(bytes) }
    write(Self.escaped(String(decoding: bytes, as: UTF8.self)))
  }

  /// Writes `cells` as a line of comma-separated values. On a terminal, what would act on it is made visible.
  func writeCSV(_ cells: [String]) {
    write(CSV.line(isTerminal ? cells.map { TerminalText.visible($0) } : cells))
  }

  /// Writes objects as comma-separated values: the names of `columns`, then a line with those members of each.
  func writeCSV(_ objects: some Sequence<JSONValue>, columns: [String]) {
    writeCSV(columns)
    for object in objects {
      if isGone { return }
      writeCSV(columns.map { object[$0].map(Self.cell) ?? "" })
    }
  }

  /// A text as it is, everything else as JSON, and nothing for null.
  private static func cell(_ value: JSONValue) -> String {
    value == .null ? "" : value.stringValue ?? value.text
  }

  /// JSON with everything that acts on a terminal as `\u001b`. Outside of strings JSON has nothing of that but line feeds, which stay.
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
