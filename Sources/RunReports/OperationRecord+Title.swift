import PipelineLanguage
import RunHistory

extension OperationRecord {
  /// The name, followed by the item's label if there is one: `convert[136] orders-0137.csv`. Safe to print to a terminal.
  package var title: String { TerminalText.name(name, label: label) }
}
