import Expressions
import PipelineEngine
import PipelineLanguage
import RunHistory

/// What a retry will do with the operations that had succeeded, determined before it begins.
package struct RetriedOperations: Sendable {
  /// What a retry does with one operation.
  package enum Fate: Sendable, Hashable {
    /// It is not executed.
    case takenOver
    /// It is executed again; the reason in words, such as "its definition has changed".
    case runsAgain(String)
    /// It is reused if these operations, which it depends on and which are executed, end as they did then.
    case takenOverUnless([String])
  }

  /// The items of a loop whose succeeded items are reused, as the former run had them.
  package struct Items: Sendable, Hashable {
    /// The labels of the items that are executed.
    package var again: [String]
    /// The number of items that are not executed, provided the loop finds them unchanged.
    package var takenOver: Int
    /// Why items that had succeeded are also executed, in words; nil if they are not.
    package var cause: String?
  }

  /// The loops of which only some items had succeeded, by position.
  package private(set) var items: [Int: Items] = [:]
  /// The operations that had succeeded, by position.
  package private(set) var fates: [Int: Fate] = [:]
  /// What runs again and why: one sentence for all operations with the same reason.
  package private(set) var sentences: [String] = []

  init(_ start: RunStart, from source: RecordedRun) {
    let (pipeline, chosen) = (start.pipeline, start.selected ?? [])
    guard !start.options.isForced else { return }
    let plan = RetryPlan(of: pipeline, options: start.options, from: source)
    let done = Set(source.operations.lazy.filter { $0.parent == nil && $0.isDone }.map(\.name))
    var groups: [(cause: RetryPlan.Cause, names: [String])] = []
    for position in pipeline.operations.indices where !chosen.contains(position) {
      let operation = pipeline.operations[position]
      guard done.contains(operation.name) else { continue }
      if let cause = plan?.again[position] {
        fates[position] = .runsAgain(cause.text())
        if let place = groups.firstIndex(where: { $0.cause == cause }) {
          groups[place].names.append(operation.name)
        } else {
          groups.append((cause, [operation.name]))
        }
      } else if let dependencies = plan?.conditional[position] {
        let open = dependencies.filter { plan?.conditional[$0] != nil || !done.contains(pipeline.operations[$0].name) }
        fates[position] = .takenOverUnless(open.map { pipeline.operations[$0].name })
      } else {
        fates[position] = .takenOver
      }
    }
    let loops = Dictionary(source.operations.lazy.filter { $0.parent == nil }.map { ($0.name, $0) }) { first, _ in first
    }
    for position in pipeline.operations.indices
    where pipeline.operations[position].loop != nil && !chosen.contains(position) {
      guard let loop = loops[pipeline.operations[position].name], !loop.isDone else { continue }
      let known = source.operations.filter { $0.parent == loop.ordinal }
      guard known.contains(where: \.isDone) else { continue }
      let isWhole = plan?.takesOverParts(of: position) == false
      let again = known.filter { isWhole || !$0.isDone }
      items[position] = Items(
        again: again.map { TerminalText.name($0.name, label: $0.label) }, takenOver: known.count - again.count,
        cause: isWhole ? plan?.cause(at: position)?.text() : nil)
    }
    // Changes come first, then their consequences.
    let (following, changed) = (groups.filter(\.cause.follows), groups.filter { !$0.cause.follows })
    sentences = (changed + following).map { Self.sentence($0.names, $0.cause) }
    for (position, items) in items.sorted(by: { $0.key < $1.key }) {
      guard let cause = items.cause else { continue }
      sentences.append("all items of '\(pipeline.operations[position].name)' run again: \(cause)")
    }
  }

  /// `'build' and 'test' run again: their definitions have changed`
  private static func sentence(_ names: [String], _ cause: RetryPlan.Cause) -> String {
    let quoted = names.map { "'\($0)'" }
    let shown: String
    switch quoted.count {
    case 1: return "\(quoted[0]) runs again: \(cause.text())"
    case 2...5: shown = quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    default: shown = quoted.prefix(4).joined(separator: ", ") + " and \(quoted.count - 4) more"
    }
    return "\(shown) run again: \(cause.text(ofSeveral: true))"
  }
}

extension RunStart {
  /// Returns what a retry does with what had succeeded in its source run. Nil for other runs.
  ///
  /// - Throws: `WorkspaceError`.
  package func retriedOperations(in history: History) throws -> RetriedOperations? {
    guard options.trigger == .retry, let source = try options.source.flatMap({ try history.loadForExecution($0) })
    else {
      return nil
    }
    return RetriedOperations(self, from: source)
  }
}
