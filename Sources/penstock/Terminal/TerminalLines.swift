import PipelineLanguage

/// Text of several lines, made harmless line by line.
enum TerminalLines {
  static func visible(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.visible(String($0)) }
      .joined(separator: "\n")
  }
}
