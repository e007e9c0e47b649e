/// A place in a source text: 1-based line, and 1-based column counted in Unicode scalars.
public struct SourceMark: Sendable, Hashable, Comparable {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode scalars.
  public var column: Int

  /// A mark at `line` and `column`, both from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Earlier in the text comes first.
  public static func < (left: SourceMark, right: SourceMark) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A stretch of a source text: from `start` up to, and without, `end`.
public struct SourceRange: Sendable, Hashable {
  /// The first place of the stretch.
  public var start: SourceMark
  /// The place after the last one of the stretch.
  public var end: SourceMark
  /// Which text it is in, where there are several: the position of its `NodeOrigin`; 0 is the file itself.
  package var origin: UInt32 = 0

  /// The stretch from `start` up to, and without, `end`.
  public init(start: SourceMark, end: SourceMark) {
    self.start = start
    self.end = end
  }

  /// The very beginning of a text, for what concerns the whole file.
  public static let beginning = SourceRange(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 1))
}
