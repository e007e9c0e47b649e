import Expressions
import PipelineLanguage
import RunHistory

/// An operation or an item as a person names it: `convert`, `convert[136]`, or by its label, `convert[orders-0137.csv]`. Case does not matter.
struct InstanceName {
  let text: String

  /// Those of `operations` that it means. A number comes before a label, a whole label before the last component of a path.
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
