/// Checks a whole text before it is parsed.
enum YAMLAdmission {
  /// The maximum number of directives: libyaml compares every `%TAG` line with every other one, and a pipeline file needs none.
  private static let maximumDirectives = 100

  /// Returns the error that prevents parsing `source`, or nil.
  static func refusal(of source: SourceText) -> Diagnostic? {
    if let fault = source.encodingFault { return fault }
    return source.withBytes { bytes in
      if bytes.count > YAMLReader.maximumSize {
        return Diagnostic(
          code: .fileTooLarge, "the file is larger than the \(YAMLReader.maximumSize >> 20) MiB allowed",
          file: source.path, range: .beginning, fix: "split the pipeline into nested pipelines, or move data out of it"
        )
      }
      var directives = 0
      var atLineStart = true
      for offset in bytes.indices {
        let byte = bytes[offset]
        if byte < 0x20 || byte > 0x7E, let scalar = forbiddenScalar(in: bytes, at: offset) {
          return controlCharacter(scalar, at: offset, in: source)
        }
        if atLineStart, byte == 0x25 {
          directives += 1
          if directives > maximumDirectives { return tooManyDirectives(at: offset, in: source) }
        }
        atLineStart = byte == 0x0A || byte == 0x0D
      }
      return nil
    }
  }

  /// Returns the scalar that starts at `offset` if YAML does not allow it: C0 and C1 controls except tab, line breaks and U+0085, and U+FFFE and
  /// U+FFFF. Surrogates cannot occur in valid UTF-8.
  private static func forbiddenScalar(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Unicode.Scalar? {
    switch bytes[offset] {
    case 0x09, 0x0A, 0x0D: return nil
    case 0x00..<0x20, 0x7F: return Unicode.Scalar(bytes[offset])
    case 0xC2 where offset + 1 < bytes.count:
      let second = bytes[offset + 1]
      return second < 0xA0 && second != 0x85 ? Unicode.Scalar(second) : nil
    case 0xEF where offset + 2 < bytes.count && bytes[offset + 1] == 0xBF && bytes[offset + 2] >= 0xBE:
      return Unicode.Scalar(0xFF00 + UInt32(bytes[offset + 2] & 0x3F) + 0xC0)
    default: return nil
    }
  }

  private static func controlCharacter(_ scalar: Unicode.Scalar, at offset: Int, in source: SourceText) -> Diagnostic {
    let start = source.mark(atUTF8Offset: offset)
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return Diagnostic(
      code: .yamlSyntax, "the control character \(name) is not allowed in YAML", file: source.path,
      range: SourceRange(start: start, end: SourceMark(line: start.line, column: start.column + 1)),
      fix: scalar.value < 0x100
        ? "remove it, or write it as \\x\(digits.count < 2 ? "0" : "")\(digits) in double quotes" : "remove it"
    )
  }

  private static func tooManyDirectives(at offset: Int, in source: SourceText) -> Diagnostic {
    let start = source.mark(atUTF8Offset: offset)
    return Diagnostic(
      code: .yamlSyntax, "more than \(maximumDirectives) lines begin with '%'", file: source.path,
      range: SourceRange(start: start, end: SourceMark(line: start.line, column: start.column + 1)),
      fix: "indent the text, or remove the directives"
    )
  }
}
