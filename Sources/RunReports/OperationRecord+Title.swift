import PipelineLanguage
import RunHistory

extension OperationRecord {
  /// The name with what an item is called behind its number, `convert[136] orders-0137.csv`. Harmless for a terminal.
  package var title: String { TerminalText.name(name, label: label) }
}
