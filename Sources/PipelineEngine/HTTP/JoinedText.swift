import HTTPOperations

/// A URL or a path composed of text and values, which records where the values are.
///
/// A value may be part of a path, but must not change which path it is: `..` and `.` are detected once everything is joined, so that neither an empty
/// value beside `..` nor two values of one dot each get through.
struct JoinedText {
  /// The joined text.
  private(set) var text = ""
  /// The UTF-8 ranges of the values in it.
  private var values: [ClosedRange<Int>] = []

  /// Appends text that the author wrote, or that is literal.
  mutating func append(literal: some StringProtocol) {
    text += literal
  }

  /// Appends the text of a value.
  mutating func append(value: String) {
    let start = text.utf8.count
    text += value
    values.append(start...text.utf8.count)
  }

  /// Returns the first part between slashes that is one of `names` and that a value contributes to.
  ///
  /// - Parameters:
  ///   - names: The forbidden parts.
  ///   - isURL: Whether the path ends at `?` or `#`, and `%2e` is a dot.
  /// - Returns: The decoded part; nil if there is none.
  func part(among names: [String], isURL: Bool) -> String? {
    guard !values.isEmpty else { return nil }
    let path = isURL ? text.prefix { $0 != "?" && $0 != "#" } : text[...]
    var start = 0
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let bounds = start...start + part.count
      start = bounds.upperBound + 1
      // A percent-encoded dot is resolved like a dot.
      let spelling = String(decoding: part, as: UTF8.self)
      let meant = isURL ? PercentEncoding.decode(spelling).map { String(decoding: $0, as: UTF8.self) } : spelling
      guard let meant, names.contains(meant), values.contains(where: { $0.overlaps(bounds) }) else { continue }
      return meant
    }
    return nil
  }
}
