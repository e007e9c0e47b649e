/// Finds the exact range of nodes for which libyaml's marks are imprecise.
struct YAMLPlaces {
  let source: SourceText
  let bytes: UnsafeBufferPointer<UInt8>

  /// Returns the byte at `offset`, or nil past the end.
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[offset] : nil
  }

  /// Returns where the content of a node starts whose anchor or tag (or both, in either order) starts at `mark`, and the range of the tag.
  ///
  /// `end` is the end of the node if it is a scalar.
  func startBehindProperties(
    from mark: SourceMark, anchor: Bool, tag: Bool, end: SourceMark?
  ) -> (start: SourceMark, tag: SourceRange?) {
    var offset = source.utf8Offset(of: mark)
    let end = end.map { source.utf8Offset(of: $0) } ?? bytes.count
    var properties = (anchor ? 1 : 0) + (tag ? 1 : 0)
    var tag: SourceRange?
    while offset < end {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case 0x23: offset = endOfLine(from: offset)
      case 0x26 where properties > 0, 0x21 where properties > 0:
        let first = offset
        properties -= 1
        while offset < end, !isBlank(bytes[offset]) { offset += 1 }
        if bytes[first] == 0x21 {
          tag = SourceRange(start: source.mark(atUTF8Offset: first), end: source.mark(atUTF8Offset: offset))
        }
      default: return (source.mark(atUTF8Offset: offset), tag)
      }
    }
    return (source.mark(atUTF8Offset: end), tag)
  }

  /// Returns the end of a block scalar whose header starts at `start`: after its last nonblank line; `end` is where libyaml ends it. Without such a
  /// line, returns the end of the header's `|` or `>` and its indicators.
  func blockScalarEnd(from start: SourceMark, to end: SourceMark) -> SourceMark {
    let first = source.utf8Offset(of: start)
    var last = source.utf8Offset(of: end)
    while last > first, isBlank(bytes[last - 1]) { last -= 1 }
    let header = endOfLine(from: first)
    if last <= header {
      var offset = first + 1
      while let byte = byte(at: offset), byte == 0x2B || byte == 0x2D || (byte >= 0x30 && byte <= 0x39) { offset += 1 }
      return source.mark(atUTF8Offset: offset)
    }
    return source.mark(atUTF8Offset: endOfLine(from: last))
  }

  /// Returns the place of a missing value: after the `:`, `-` or `?` that precedes it, or otherwise at the end of the previous node.
  ///
  /// `mark` is the place that libyaml reports, which may be at the next token, several lines below. `previousEnd` is the end of the last scalar or
  /// collection, or the start of the last collection.
  func missingValue(reportedAt mark: SourceMark, behind previousEnd: SourceMark) -> SourceMark {
    let offset = source.utf8Offset(of: mark)
    if let byte = byte(at: offset - 1), byte == 0x3A || byte == 0x2D || byte == 0x3F { return mark }
    var behind = source.utf8Offset(of: previousEnd)
    while let byte = byte(at: behind), byte == 0x20 || byte == 0x09 { behind += 1 }
    if byte(at: behind) == 0x3A { return source.mark(atUTF8Offset: behind + 1) }
    return previousEnd
  }

  /// Returns the offset at which the line of the byte at `offset` ends.
  func endOfLine(from offset: Int) -> Int {
    var offset = offset
    while let byte = byte(at: offset), byte != 0x0A, byte != 0x0D { offset += 1 }
    return offset
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
