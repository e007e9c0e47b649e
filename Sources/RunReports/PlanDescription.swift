import Expressions
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// A description of what a run would do: the operations in a possible order, the inputs of each and where they come from, and
/// whatever is known in advance. Nothing is executed to create it.
package struct PlanDescription: Sendable {
  /// What would happen to an operation.
  package enum Disposition: Sendable, Hashable {
    case runs
    /// Its condition is known to be false.
    case skipped(condition: String)
    /// A dependency is known to be skipped.
    case skippedWith(dependency: String)
    /// It is not selected, and is reused from a former run.
    case takenOver(RunID)
    /// It had succeeded in the run that is retried, but is executed again.
    case runsAgain(cause: String)
    /// It is reused if its dependencies, which are executed, end as they did in the run that is retried.
    case takenOverUnless(RunID, dependencies: [String])
    /// It is not selected, and there is no former result.
    case leftOut
    /// A former success is reused if the inputs turn out to be the same.
    case mayBeReused(RunID, endedAt: RecordTime)
  }

  /// The items of a loop in a run that retries another one, as recorded there.
  package struct Items: Sendable {
    /// The labels of the items that would be executed.
    package var again: [String]
    /// The number of items that would be reused if they are unchanged.
    package var takenOver: Int
    /// Why items that had succeeded would also be executed; nil if they would not.
    package var cause: String?

    package init(again: [String], takenOver: Int, cause: String? = nil) {
      self.again = again
      self.takenOver = takenOver
      self.cause = cause
    }
  }

  /// An input of an operation, with its value if known.
  package struct Given: Sendable {
    package var input: OperationInput
    package var value: JSONValue?
  }

  /// An operation of the plan.
  package struct Step: Sendable {
    package var definition: OperationDefinition
    package var event: PipelineDefinition.Event?
    /// Steps of the same level could run in parallel.
    package var level: Int
    package var needs: [String]
    package var inputs: [Given]
    package var disposition: Disposition
    /// What would happen to the items of a loop in a retry, if known.
    package var items: Items?
    /// The value of a `value` that depends only on params.
    package var value: JSONValue?
  }

  package var pipeline: PipelineDefinition
  package var parameters: [String: JSONValue]
  package var steps: [Step] = []

  private let contexts: ObjectContexts
  private let names: [String]

  /// Describes a run with these options.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline.
  ///   - options: The options that it would be started with.
  ///   - selected: The positions of the operations that the options select; nil for all.
  ///   - history: The source of former results.
  ///   - retried: What happens to operations that had succeeded in a run that is retried, by position.
  ///   - items: What happens to the items of loops in such a run, by the position of the loop.
  ///   - now: The time from which the age of former results is measured.
  /// - Throws: ``WorkspaceError`` if the history cannot be read.
  package init(
    of pipeline: PipelineDefinition, options: RunOptions, selected: Set<Int>?, history: History?,
    retried: [Int: Disposition] = [:], items: [Int: Items] = [:], now: RecordTime = .now
  ) throws(WorkspaceError) {
    self.pipeline = pipeline
    names = pipeline.operations.map(\.name)
    parameters = options.parameters
    var members = JSONValue.object([:]).objectValue ?? [:]
    for parameter in pipeline.parameters { members[parameter.name] = options.parameters[parameter.name] ?? .null }
    contexts = ObjectContexts(["params": .object(members)])
    var former: [String: OperationRecord] = [:]
    if let source = options.source, let history {
      for record in try history.operations(of: source) { former[record.name] = record }
    }
    let levels = PipelineGraph.levels(of: pipeline.operations)
    for index in pipeline.operations.indices.sorted(by: { (levels[$0], $0) < (levels[$1], $1) }) {
      var step = describe(pipeline.operations[index], event: nil, level: levels[index])
      if let disposition = retried[index] {
        step.disposition = disposition
      } else if let selected, !selected.contains(index) {
        let isThere = former[step.definition.name]?.isDone ?? false
        step.disposition = isThere ? options.source.map { .takenOver($0) } ?? .leftOut : .leftOut
      } else if step.disposition == .runs, !options.isForced, let history,
        let reuse = try Self.reusable(step.definition, pipeline, history, now)
      {
        step.disposition = reuse
      }
      if case .runs = step.disposition { step.items = items[index] }
      steps.append(step)
    }
    for handler in pipeline.handlers { steps.append(describe(handler.operation, event: handler.event, level: 0)) }
  }

  private func describe(_ definition: OperationDefinition, event: PipelineDefinition.Event?, level: Int) -> Step {
    let inputs = definition.inputs.map { written in
      var input = written
      input.operations = written.operations.map { OperationName.find($0, among: names) ?? $0 }
      return Given(input: input, value: value(ofExpression: input.source, references: input.references))
    }
    var step = Step(
      definition: definition, event: event, level: level,
      needs: event == nil ? definition.dependencies.map { pipeline.operations[$0].name } : [], inputs: inputs,
      disposition: .runs)
    if let data = definition.action.kind.computedValue, isKnown(data.references) {
      step.value = try? data.evaluate(in: contexts)
    }
    if let condition = definition.condition, isKnown(condition.references), !condition.usesStatusFunction,
      let isTrue = try? condition.isTruthy(in: contexts), !isTrue
    {
      step.disposition = .skipped(condition: condition.text)
    }
    if case .runs = step.disposition, let skipped = skippedDependency(of: step) {
      step.disposition = .skippedWith(dependency: skipped)
    }
    return step
  }

  /// Returns a dependency that is known to be skipped, and whose result this operation has no default for.
  private func skippedDependency(of step: Step) -> String? {
    let definition = step.definition
    guard !definition.isAskedAnyway else { return nil }
    return step.needs.first { name in
      let isSkipped = steps.contains { step in
        guard step.definition.name == name else { return false }
        switch step.disposition {
        case .skipped, .skippedWith: return true
        case .runs, .runsAgain, .takenOver, .takenOverUnless, .leftOut, .mayBeReused: return false
        }
      }
      guard isSkipped, let index = pipeline.operations.firstIndex(where: { $0.name == name }) else { return false }
      return definition.requiredResults.contains(index) || !step.inputs.contains { $0.input.operations.contains(name) }
    }
  }

  private func isKnown(_ references: [ExpressionReference]) -> Bool {
    references.allSatisfy { $0.context == "params" }
  }

  private func value(ofExpression source: String, references: [ExpressionReference]) -> JSONValue? {
    guard !references.isEmpty, isKnown(references), let expression = try? Expression.parse(source) else { return nil }
    return try? expression.evaluate(in: contexts)
  }

  /// Returns the latest success of a reusable operation that is not stale.
  private static func reusable(
    _ definition: OperationDefinition, _ pipeline: PipelineDefinition, _ history: History, _ now: RecordTime
  ) throws(WorkspaceError) -> Disposition? {
    guard definition.mayBeReused else { return nil }
    let oldest = definition.staleAfter.map { now.advanced(by: -$0.wholeMicroseconds) } ?? RecordTime(microseconds: 0)
    let filter = RunFilter(pipeline: pipeline.name, operation: definition.name, includesNested: true, limit: 20)
    for run in try history.runs(filter) {
      for record in try history.operations(of: run.id)
      where record.name == definition.name && record.state == .succeeded && record.fingerprint != nil {
        guard let endedAt = record.endedAt, endedAt >= oldest, endedAt <= now else { continue }
        return .mayBeReused(run.id, endedAt: endedAt)
      }
    }
    return nil
  }
}
