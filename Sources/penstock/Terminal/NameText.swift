import PipelineLanguage

/// The name of an operation, or of an item with its label, for a column: where room is short, the label gives way first.
struct NameText: Equatable {
  /// Visible text.
  let name: String
  let label: String?
  let indentation: Int

  /// A shorter label says nothing.
  private static let shortestLabel = 4

  init(_ name: String, label: String?, indentation: Int = 0) {
    self.name = TerminalText.visible(name)
    self.label = label.map { TerminalText.label($0) }
    self.indentation = indentation
  }

  /// The columns that it takes as a whole.
  var width: Int {
    indentation + TerminalText.width(of: name) + (label.map { 1 + TerminalText.width(of: $0) } ?? 0)
  }

  /// As much of it as fits.
  func fitted(width: Int) -> String {
    let text = String(repeating: " ", count: indentation) + name
    let room = width - TerminalText.width(of: text) - 1
    guard let label, room >= Self.shortestLabel else { return TerminalText.fitted(text, width: width) }
    return "\(text) \(TerminalText.label(label, width: room))"
  }
}
