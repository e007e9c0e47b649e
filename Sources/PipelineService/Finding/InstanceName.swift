import Expressions
import PipelineLanguage
import RunHistory

/// A user's name for an operation or an item: `convert`, `convert[136]`, or with the item's label, `convert[orders-0137.csv]`. Case-insensitive.
struct InstanceName {
  let text: String

  /// Returns the matching elements of `operations`. A number takes precedence over a label, and a whole label over the last component of a path.
  func meant(in operations: [OperationRecord]) -> [OperationRecord] {
    let known = OperationName.find(text, among: operations.map(\.name))
    if let known, let operation = operations.first(where: { $0.name == known }) { return [operation] }
    guard let asked = OperationName.item(text),
      let loop = operations.first(where: { $0.parent == nil && OperationName.areSame($0.name, asked.loop) })
    else { return [] }
    let wanted = asked.item.lowercased()
    let items = operations.lazy.filter { $0.parent == loop.ordinal }.compactMap { record in
      record.label.map { (record: record, label: $0.lowercased()) }
    }
    let whole = items.filter { $0.label == wanted || TerminalText.oneLine($0.label) == wanted }.map(\.record)
    if !whole.isEmpty { return Array(whole) }
    return items.filter { $0.label.hasSuffix("/" + wanted) && !wanted.contains("/") }.map(\.record)
  }
}
