import HTTPOperations

/// A URL or a path that is put together of text and of values, which remembers where the values are.
///
/// A value may be part of a path, and never changes which path it is: `..` and `.` are told by what the parts are once
/// all is joined, so that neither an empty value beside `..` nor two values of a dot each get through.
struct JoinedText {
  /// All of it.
  private(set) var text = ""
  /// Where values begin and end in the UTF-8 of it.
  private var values: [ClosedRange<Int>] = []

  /// Adds text that the author wrote, or that stands for itself.
  mutating func append(literal: some StringProtocol) {
    text += literal
  }

  /// Adds what a value yielded.
  mutating func append(value: String) {
    let start = text.utf8.count
    text += value
    values.append(start...text.utf8.count)
  }

  /// The first part between slashes that is one of `names` and that a value has a share in.
  ///
  /// - Parameters:
  ///   - names: What no part may become.
  ///   - isURL: Whether it ends at `?` or `#`, and `%2e` is a dot.
  /// - Returns: The part as it is meant; nil where there is none.
  func part(among names: [String], isURL: Bool) -> String? {
    guard !values.isEmpty else { return nil }
    let path = isURL ? text.prefix { $0 != "?" && $0 != "#" } : text[...]
    var start = 0
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let bounds = start...start + part.count
      start = bounds.upperBound + 1
      // A percent-encoded dot is a dot to who resolves paths.
      let spelling = String(decoding: part, as: UTF8.self)
      let meant = isURL ? PercentEncoding.decode(spelling).map { String(decoding: $0, as: UTF8.self) } : spelling
      guard let meant, names.contains(meant), values.contains(where: { $0.overlaps(bounds) }) else { continue }
      return meant
    }
    return nil
  }
}
