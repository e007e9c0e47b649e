import PipelineLanguage

extension YAMLNode {
  /// The tree as lines of `kind "text" start-end`, indented by depth, so that a failing test shows the differences.
  var outline: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    let place = "\(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column)"
    let marks = place + (tag.map { " \($0)" } ?? "") + (isFaulty ? " faulty" : "")
    switch content {
    case .scalar(let text, let style): return ["\(style) \(text.debugDescription) \(marks)"]
    case .sequence(let items): return ["sequence \(marks)"] + items.flatMap(\.lines).map { "  " + $0 }
    case .mapping(let entries):
      return ["mapping \(marks)"]
        + entries.flatMap { entry in entry.key.lines.map { "  " + $0 } + entry.value.lines.map { "    " + $0 } }
    }
  }
}

/// Reads `text` as the file `t.yaml`.
func readYAML(_ text: String) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
  YAMLReader.read(SourceText(path: "t.yaml", text: text))
}

/// Returns the findings from reading `text` as `line:column-line:column code`.
func yamlFindings(in text: String) -> [String] {
  readYAML(text).diagnostics.map(\.brief)
}

extension Diagnostic {
  /// The finding as `line:column-line:column code`.
  var brief: String {
    "\(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column) \(code)"
  }
}
