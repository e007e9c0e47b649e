import FoundationEssentials

/// The database file of an empty workspace, encoded as text.
///
/// A new workspace begins as a copy of it. Creating thirty tables, indexes and views takes SQLite seven milliseconds, a tenth of a millisecond for each,
/// which would delay the first run of a short pipeline. If the template was created with an older schema, migrations add what is missing, as in any other
/// file.
///
/// Each line encodes some bytes: their offset in the file, a space, and the bytes in Base 64. All other bytes are zero. The last line has only an offset,
/// which is the length of the file.
public struct WorkspaceTemplate: Sendable {
  private let text: String

  /// Creates a template from its text, which is only decoded when a workspace is created.
  public init(_ text: String) {
    self.text = text
  }

  /// The bytes of the file; nil if the text is not a valid template.
  var bytes: [UInt8]? {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last, let length = Self.number(last), (1...Self.longest).contains(length) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    for line in lines.dropLast() {
      guard
        let space = line.firstIndex(of: UInt8(ascii: " ")), let offset = Self.number(line[..<space]),
        let part = Data(base64Encoded: Data(line[space...].dropFirst())), offset >= 0 && offset <= length - part.count
      else { return nil }
      bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
    return bytes
  }

  /// The maximum length of a file: 16 MiB.
  private static let longest = 16 << 20

  private static func number(_ digits: Substring.UTF8View) -> Int? { Int(Substring(digits)) }

  /// Returns the text of a template for a file with these bytes, in lines of at most 120 characters. To create a template, pass the file of a workspace
  /// that was just created and closed.
  public static func text(of file: [UInt8]) -> String {
    var lines: [String] = []
    var start = 0
    while let first = file[start...].firstIndex(where: { $0 != 0 }) {
      var end = first
      // Including a few zeros takes less space than starting another line.
      for index in first..<min(first + 81, file.count) where file[index] != 0 && index - end <= 12 { end = index }
      lines.append("\(first) " + Data(file[first...end]).base64EncodedString())
      start = end + 1
    }
    return (lines + ["\(file.count)"]).joined(separator: "\n")
  }
}
