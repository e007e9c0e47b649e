/// Formats rows as specified by RFC 4180, but with line feeds.
enum CSV {
  static func line(_ cells: [String]) -> String {
    cells.map(field).joined(separator: ",") + "\n"
  }

  private static func field(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 10 || $0 == 13 }
    guard needsQuotes else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
