import Expressions
import OrderedCollections
import RunHistory
import Values

/// An artifact, with the operation that produced it.
package struct RunArtifact: Sendable {
  /// The operation, or the item of a loop.
  package let operation: String
  /// The label of the item.
  package let label: String?
  package let artifact: KeptArtifact
  /// The run that it was reused from.
  package let source: RunID?

  /// `build.app`.
  package var fullName: String { "\(operation).\(artifact.name)" }

  /// Returns the artifacts of a run, in the order of its operations. Those of a loop are listed under its items, unless the loop was reused as a whole.
  package static func all(of operations: [OperationRecord]) -> [RunArtifact] {
    let loops = Set(operations.compactMap(\.parent))
    return operations.filter { !loops.contains($0.ordinal) }.flatMap { operation in
      operation.artifacts.map { artifact in
        RunArtifact(
          operation: artifact.item.map { "\(operation.name)[\($0.index)]" } ?? operation.name, label: operation.label,
          artifact: artifact, source: operation.reusedFrom)
      }
    }
  }

  /// Returns whether `name` matches it: its own name, that of its operation or loop, or both joined by a dot.
  package func isMeant(by name: String) -> Bool {
    if name == artifact.name || isOperation(name) { return true }
    guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...] == artifact.name else { return false }
    return isOperation(String(name[..<dot]))
  }

  private func isOperation(_ name: String) -> Bool {
    if OperationName.areSame(name, operation) { return true }
    guard let item = OperationName.item(operation) else { return false }
    if OperationName.areSame(name, item.loop) { return true }
    guard let label, let asked = OperationName.item(name) else { return false }
    return OperationName.areSame(asked.loop, item.loop) && asked.item == label
  }

  /// The artifact as JSON, with the names and units of `history show --json`.
  package var jsonValue: JSONValue {
    var members: OrderedDictionary<String, JSONValue> = ["operation": .string(operation), "label": JSONValue(label)]
    for (name, value) in artifact.jsonValue.objectValue ?? [:] where name != "item" && name != "items" {
      members[name] = value
    }
    members["reused_from"] = JSONValue(source?.text)
    return .object(members)
  }
}
