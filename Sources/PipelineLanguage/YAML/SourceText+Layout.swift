/// Analyzes the layout of the lines around a syntax error to find its cause.
extension SourceText {
  /// Returns the first `:` that directly follows and precedes text, as in `name:value`, but not in `http://`.
  static func tightColon(in text: Substring.UnicodeScalarView) -> String.Index? {
    var index = text.startIndex
    var previous: Unicode.Scalar = " "
    while index < text.endIndex, previous != "#" {
      let next = text.index(after: index)
      if text[index] == ":", previous != " ", next < text.endIndex, !" \t/:".unicodeScalars.contains(text[next]) {
        return index
      }
      if text[index] == "\"" || text[index] == "'" { return nil }
      previous = text[index]
      index = next
    }
    return nil
  }

  /// Returns the first `:` followed by a blank or nothing.
  static func looseColon(in text: Substring.UnicodeScalarView) -> String.Index? {
    text.indices.first { index in
      let next = text.index(after: index)
      return text[index] == ":" && (next == text.endIndex || text[next] == " ")
    }
  }

  /// Returns the nearest line above line `number` that is neither blank nor a comment.
  func lineAbove(_ number: Int) -> Int? {
    stride(from: number - 1, to: 0, by: -1).first { number in
      let first = line(number).unicodeScalars.first { $0 != " " && $0 != "\t" }
      return first != nil && first != "#"
    }
  }

  func scalar(at mark: SourceMark) -> Unicode.Scalar? {
    line(mark.line).unicodeScalars.dropFirst(mark.column - 1).first
  }

  func indentation(of number: Int) -> Int {
    line(number).unicodeScalars.prefix { $0 == " " }.count
  }

  /// Returns whether `mark` is at the start of a line, or after the key that starts a line.
  func isAtKey(_ mark: SourceMark) -> Bool {
    let before = line(mark.line).unicodeScalars.prefix(mark.column - 1)
    return scalar(at: mark) == ":" ? !before.contains(",") : before.allSatisfy { $0 == " " }
  }

  static func trimmedLength(of text: String) -> Int {
    var scalars = text.unicodeScalars[...]
    while scalars.last == " " || scalars.last == "\t" { scalars.removeLast() }
    return scalars.count
  }
}
