/// A position in a source text: 1-based line, and 1-based column in Unicode scalars.
public struct SourceMark: Sendable, Hashable, Comparable {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode scalars.
  public var column: Int

  /// Creates a mark at `line` and `column`, both from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders marks by their position in the text.
  public static func < (left: SourceMark, right: SourceMark) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A range of a source text, from `start` to `end`, exclusive.
public struct SourceRange: Sendable, Hashable {
  /// The first position of the range.
  public var start: SourceMark
  /// The position after the last one of the range.
  public var end: SourceMark
  /// The text that contains the range, as the position of its `NodeOrigin`; 0 is the file itself.
  package var origin: UInt32 = 0

  /// Creates the range from `start` to `end`, exclusive.
  public init(start: SourceMark, end: SourceMark) {
    self.start = start
    self.end = end
  }

  /// The start of a text, for findings about the whole file.
  public static let beginning = SourceRange(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 1))
}
