import Expressions
import PipelineLanguage

/// A pipeline as operations and the edges between them, for drawing.
package struct PipelineGraph: Sendable {
  /// An operation.
  package struct Node: Sendable {
    package var name: String
    /// The keyword of its action, and its summary on one line.
    package var kind: String
    package var summary: String
    /// The maximum number of edges on a path to it from an operation without dependencies.
    package var level: Int
    /// The event of a handler; nil for an operation of the pipeline proper.
    package var event: PipelineDefinition.Event?
    /// Notes worth seeing at a glance, such as `for each item` or `may fail`.
    package var notes: [String]
  }

  /// A dependency of one operation on another.
  package struct Edge: Sendable {
    /// Positions in ``PipelineGraph/nodes``.
    package var from: Int
    package var to: Int
    /// What is injected and where; nil if the edge only determines the order.
    package var label: String?
  }

  package var name: String
  /// The operations in a possible sequential order, followed by the handlers.
  package var nodes: [Node] = []
  package var edges: [Edge] = []

  package init(_ pipeline: PipelineDefinition) {
    name = pipeline.name
    add(pipeline.operations, event: nil)
    for event in PipelineDefinition.Event.allCases {
      add(pipeline.handlers.filter { $0.event == event }.map(\.operation), event: event)
    }
  }

  private mutating func add(_ operations: [OperationDefinition], event: PipelineDefinition.Event?) {
    let levels = Self.levels(of: operations)
    let order = operations.indices.sorted { (levels[$0], $0) < (levels[$1], $1) }
    // In some places, handlers continue the numbering of the operations, so an index is looked up rather than used as a position.
    var placeOfIndex: [Int: Int] = [:]
    var placeOfName: [String: Int] = [:]
    for (offset, position) in order.enumerated() {
      placeOfIndex[operations[position].index] = nodes.count + offset
      placeOfName[operations[position].name.lowercased()] = nodes.count + offset
    }
    let first = nodes.count
    for position in order {
      let operation = operations[position]
      nodes.append(
        Node(
          name: operation.name, kind: operation.actionKind, summary: operation.actionSummary, level: levels[position],
          event: event, notes: operation.graphNotes))
    }
    for (offset, position) in order.enumerated() {
      let operation = operations[position]
      var labels: [Int: [String]] = [:]
      for input in operation.inputs {
        for name in input.operations {
          placeOfName[name.lowercased()].map { labels[$0, default: []].append(input.arrival.text) }
        }
      }
      for from in operation.dependencies.compactMap({ placeOfIndex[$0] }).sorted() {
        edges.append(Edge(from: from, to: first + offset, label: labels[from]?.joined(separator: ", ")))
      }
    }
  }

  /// Returns the length of the longest chain of dependencies before each operation.
  static func levels(of operations: [OperationDefinition]) -> [Int] {
    var positions: [Int: Int] = [:]
    for (position, operation) in operations.enumerated() { positions[operation.index] = position }
    var incoming = operations.map { operation in operation.dependencies.count { positions[$0] != nil } }
    var dependents = [[Int]](repeating: [], count: operations.count)
    for (position, operation) in operations.enumerated() {
      for dependency in operation.dependencies { positions[dependency].map { dependents[$0].append(position) } }
    }
    var levels = [Int](repeating: 0, count: operations.count)
    var open = operations.indices.filter { incoming[$0] == 0 }
    while let position = open.popLast() {
      for dependent in dependents[position] {
        levels[dependent] = max(levels[dependent], levels[position] + 1)
        incoming[dependent] -= 1
        if incoming[dependent] == 0 { open.append(dependent) }
      }
    }
    return levels
  }
}

extension OperationDefinition {
  fileprivate var graphNotes: [String] {
    var notes: [String] = []
    if let loop {
      switch loop.source {
      case .list: notes.append("for each \(loop.itemName)")
      case .matrix(let matrix) where matrix.lists.isEmpty: notes.append("for each combination")
      case .matrix(let matrix): notes.append("for each " + matrix.lists.map(\.name).joined(separator: " × "))
      }
    }
    if let condition { notes.append("when \(condition.text)") }
    if retry.limit > 0 { notes.append(retry.limit == 1 ? "1 retry" : "\(retry.limit) retries") }
    if repetition != nil { notes.append("repeated") }
    if allowFailure { notes.append("may fail") }
    if let exclusive { notes.append("exclusive \(exclusive.text)") }
    return notes
  }
}
