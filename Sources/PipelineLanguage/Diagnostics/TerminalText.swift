/// Formats text for a terminal.
package enum TerminalText {
  /// Returns `text` with everything escaped that could act on the terminal or change how the rest is displayed.
  package static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isActing) else { return text }
    return text.unicodeScalars.reduce(into: "") { $0 += visible($1) }
  }

  /// Returns `scalar`, or its escape if it must not be shown unescaped: `\x1b`, `\u{202e}`.
  package static func visible(_ scalar: Unicode.Scalar) -> String {
    guard isActing(scalar) else { return String(scalar) }
    let digits = String(scalar.value, radix: 16)
    return scalar.value < 0x100 ? "\\x" + (digits.count < 2 ? "0" : "") + digits : "\\u{\(digits)}"
  }

  /// Returns the number of terminal columns that `text` takes.
  package static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns whether the scalar is a control character, a separator that some terminals treat as a line break, or a mark that reorders text, with
  /// which a line can imitate another.
  package static func isActing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  package static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar.value) ? 2 : 1
    }
  }

  /// Returns whether the value is in a block of East Asian or emoji characters that terminals draw two columns wide (Unicode's annex 11).
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
      0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
