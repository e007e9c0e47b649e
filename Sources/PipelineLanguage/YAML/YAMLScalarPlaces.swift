extension SourceText {
  /// Returns the place of a part of a scalar's text in the file, for errors inside expressions.
  ///
  /// Quotes, escapes, folded lines and the indentation of block scalars are taken into account.
  ///
  /// - Parameters:
  ///   - offset: The start of the part in the text of `node`, from 0, in Unicode scalars.
  ///   - length: The number of scalars. The range contains at least one character.
  ///   - node: A node of this text.
  /// - Returns: The range of the part; the range of the whole node if it has no such part or is not a scalar.
  public func range(from offset: Int, length: Int, in node: YAMLNode) -> SourceRange {
    guard case .scalar(let text, let style) = node.content, offset >= 0 else { return node.range }
    let scalars = Array(text.unicodeScalars)
    var places = YAMLScalarPlaces(source: self, range: node.range)
    switch style {
    case .plain, .singleQuoted, .doubleQuoted: places.walkLines(style)
    case .literal, .folded: places.walkBlock(scalars)
    }
    guard places.found.count >= scalars.count, offset < scalars.count else { return node.range }
    let first = places.found[offset]
    let last = places.found[min(max(offset, offset + length - 1), scalars.count - 1)]
    return SourceRange(start: first.start, end: max(last.end, first.end))
  }
}

/// Maps each Unicode scalar of a scalar's text to its place in the written form.
struct YAMLScalarPlaces {
  let source: SourceText
  let range: SourceRange
  private(set) var found: [SourceRange] = []

  init(source: SourceText, range: SourceRange) {
    self.source = source
    self.range = range
  }

  // MARK: - Plain and quoted scalars

  /// Maps the places of a scalar that is not a block scalar.
  mutating func walkLines(_ style: YAMLNode.ScalarStyle) {
    let quote = style == .plain ? 0 : 1
    var blankLines = 0
    var breakIsEscaped = false
    for number in range.start.line...max(range.start.line, range.end.line) {
      let line = Array(source.line(number).unicodeScalars)
      var start = 0
      var end = line.count
      if number == range.start.line {
        start = min(end, range.start.column - 1 + quote)
      } else {
        while start < end, isBlank(line[start]) { start += 1 }
      }
      let isLast = number == range.end.line
      if isLast { end = max(start, min(end, range.end.column - 1 - quote)) }
      if number > range.start.line {
        if start == end, !isLast {
          blankLines += 1
          continue
        }
        noteBreak(blankLines: blankLines, isEscaped: breakIsEscaped)
        blankLines = 0
      }
      breakIsEscaped = walk(line, from: start, to: end, number: number, style: style, isLast: isLast)
    }
  }

  /// Maps line breaks: a single one is a space, n of them are n-1 line breaks, and one after a backslash is nothing.
  private mutating func noteBreak(blankLines: Int, isEscaped: Bool) {
    let end = found.last?.end ?? range.start
    let place = SourceRange(start: end, end: SourceMark(line: end.line, column: end.column + 1))
    let count = blankLines > 0 ? blankLines : isEscaped ? 0 : 1
    found.append(contentsOf: repeatElement(place, count: count))
  }

  /// Maps the scalars of one line. Returns true if its line break is escaped.
  private mutating func walk(
    _ line: [Unicode.Scalar], from start: Int, to end: Int, number: Int, style: YAMLNode.ScalarStyle, isLast: Bool
  ) -> Bool {
    var index = start
    var behindText = found.count
    while index < end {
      var width = 1
      if style == .singleQuoted, line[index] == "'" {
        width = 2
      } else if style == .doubleQuoted, line[index] == "\\" {
        guard index + 1 < line.count else { return true }
        switch line[index + 1] {
        case "x": width = 4
        case "u": width = 6
        case "U": width = 10
        default: width = 2
        }
      }
      note(number, column: index + 1, width: width)
      if width > 1 || !isBlank(line[index]) { behindText = found.count }
      index += width
    }
    if !isLast { found.removeSubrange(behindText...) }
    return false
  }

  // MARK: - Block scalars

  /// Maps the places of the block scalar whose text is `text`: the file contains its lines in the same order, each after its indentation, with only
  /// blanks and line breaks between them.
  mutating func walkBlock(_ text: [Unicode.Scalar]) {
    var indentation: Int?
    for number in stride(from: range.start.line + 1, through: range.end.line, by: 1) {
      let line = Array(source.line(number).unicodeScalars)
      guard let first = line.firstIndex(where: { !isBlank($0) }) else { continue }
      if indentation == nil {
        // With an indentation indicator, some of the first line's blanks belong to the text.
        let blanks = text.drop { $0 == "\n" }.prefix { isBlank($0) }.count
        indentation = max(0, first - blanks)
      }
      let content = line.dropFirst(min(indentation ?? 0, first))
      while found.count < text.count, !text[found.count...].starts(with: content) { noteGap() }
      for column in content.indices where found.count < text.count {
        note(number, column: column + 1, width: 1)
      }
    }
    while found.count < text.count { noteGap() }
  }

  private mutating func noteGap() {
    let end = found.last?.end ?? range.start
    found.append(SourceRange(start: end, end: end))
  }

  private mutating func note(_ line: Int, column: Int, width: Int) {
    let start = SourceMark(line: line, column: column)
    found.append(SourceRange(start: start, end: SourceMark(line: line, column: column + width)))
  }

  private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
