/// What the layout of the lines around a syntax error tells about its cause.
extension SourceText {
  /// The first `:` with a letter before and text directly behind it, as in `name:value`, but not in `http://`.
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

  /// The first `:` with a blank or nothing behind it.
  static func looseColon(in text: Substring.UnicodeScalarView) -> String.Index? {
    text.indices.first { index in
      let next = text.index(after: index)
      return text[index] == ":" && (next == text.endIndex || text[next] == " ")
    }
  }

  /// The nearest line above the line `number` that is neither blank nor a comment.
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

  /// Whether `mark` is at the beginning of a line, or behind the key with which a line begins.
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
