import Expressions
import LinuxObservers
import OperatingSystem
import Operations
import PipelineLanguage
import RunHistory
import Values

/// The times of a success that a condition refers to.
struct PastSuccess: Sendable {
  var startedAt: RecordTime?
  var endedAt: RecordTime?
}

/// The point in time from which change-detecting specifications measure.
enum ConditionReference: Sendable {
  /// The beginning of the run. `succeeded` refers to a pipeline's latest run, whenever that was.
  case run
  /// The time at which the condition is created.
  case now
  /// A time in the past.
  case since(RecordTime)
  /// A success, whose age is also evaluated.
  case success(PastSuccess)
}

/// The conditions of a run: creates observable specifications from the conditions in its pipeline. *On the event loop*; the specifications themselves
/// may be used from any thread.
final class RunConditions {
  private let run: RunProgress
  private let services: HostServices
  /// The conditions of the pipeline's own specifications. They are shared, so that a hold is the same for every observer.
  private var named: [Int: AnyOperationRunSpecification] = [:]
  /// The plugins' specifications, kept so that they stay subscribed for as long as the run lasts.
  private var plugins: [PluginCondition.Key: PluginCondition] = [:]
  /// The state of the paths of `changed(…)` when the run began.
  private var stamps: [String: FileStamp?] = [:]

  init(run: RunProgress, services: HostServices) {
    self.run = run
    self.services = services
  }

  /// Notes the state of the paths that gates and waits depend on, so that a change at any time during the run is noticed. Times alone are not
  /// sufficient: the kernel's are coarser than a short operation.
  func notePaths() {
    let pipeline = run.pipeline
    func note(_ node: SpecificationFormula.Node) {
      node.forEachLeaf { leaf in
        guard case .changed(let template) = leaf, let path = try? path(template) else { return }
        stamps[path] = .some(FileStamp(path))
      }
    }
    for specification in pipeline.specifications { note(specification.formula.root) }
    for index in run.instances.indices where run.instances[index].node.hasFormula {
      let operation = run.instances[index].node.definition
      if let gate = operation.gate { note(gate.formula.root) }
      if let formula = operation.action.kind.specification { note(formula.root) }
    }
  }

  /// Returns the condition that `formula` describes, measured from `reference`.
  ///
  /// - Throws: ``OperationFailure`` if a path in it cannot be computed.
  func make(
    _ formula: SpecificationFormula, since reference: ConditionReference = .run
  ) throws -> AnyOperationRunSpecification {
    do {
      return try make(formula.root, reference)
    } catch let error as ExpressionError {
      throw OperationFailure(code: "expression", message: "\(formula.text): \(error.message)")
    }
  }

  /// Notifies `onChange` when the specifications behind a hold in `formula` change. The hold itself reports only its own value, but the reason for it
  /// then differs.
  func followHeld(
    in formula: SpecificationFormula, onChange: @escaping @Sendable () -> Void
  ) throws -> OperationSubscription {
    var seen: Set<Int> = []
    var held: [OperationSubscription] = []
    func follow(_ node: SpecificationFormula.Node) throws {
      var positions: [Int] = []
      node.forEachLeaf { if case .named(let position) = $0 { positions.append(position) } }
      for position in positions where seen.insert(position).inserted {
        let definition = run.pipeline.specifications[position]
        guard definition.hold != nil else {
          try follow(definition.formula.root)
          continue
        }
        let condition = try make(definition.formula.root, .run)
        held.append(condition.subscribe(in: services.context, onChange: onChange))
      }
    }
    try follow(formula.root)
    return .combined(held)
  }

  private func make(
    _ node: SpecificationFormula.Node, _ reference: ConditionReference
  ) throws -> AnyOperationRunSpecification {
    let loop = services.loop
    switch node {
    case .always: return AnyOperationRunSpecification(.always)
    case .never: return AnyOperationRunSpecification(.never)
    case .connected: return AnyOperationRunSpecification(ConnectedRunSpecification(to: NetlinkObserver.shared))
    case .foreground:
      let isActive = ApplicationIsActiveRunSpecification(observer: services.observations.activity)
      return AnyOperationRunSpecification(isActive.named("foreground"))
    case .olderThan(let age):
      var birth: RecordTime?
      if case .success(let success) = reference { birth = success.endedAt }
      return AnyOperationRunSpecification(
        OlderThanSpecification(
          birth: birth, age: age, text: "older-than(\(DurationNotation.format(age)))", loop: loop))
    case .fileExists(let template):
      return AnyOperationRunSpecification(
        FileExistsSpecification(
          path: try path(template), text: "file-exists(\(template.text))", watch: services.observations.paths,
          loop: loop))
    case .changed(let template): return AnyOperationRunSpecification(try changed(template, reference))
    case .succeeded(let pipeline):
      return AnyOperationRunSpecification(
        PipelineSucceededSpecification(
          pipeline: pipeline, since: since(reference), text: "succeeded(\(pipeline))",
          runs: services.observations.latestRuns,
          watch: services.observations.watch, loop: loop))
    case .plugin(let use): return AnyOperationRunSpecification(try plugin(use))
    case .named(let position): return try specification(at: position, reference)
    case .not(let operand): return AnyOperationRunSpecification(!(try make(operand, reference)))
    case .and(let operands): return try joined(operands, reference) { AnyOperationRunSpecification($0 && $1) }
    case .or(let operands): return try joined(operands, reference) { AnyOperationRunSpecification($0 || $1) }
    }
  }

  private func joined(
    _ operands: [SpecificationFormula.Node], _ reference: ConditionReference,
    by join: (AnyOperationRunSpecification, AnyOperationRunSpecification) -> AnyOperationRunSpecification
  ) throws -> AnyOperationRunSpecification {
    var all: AnyOperationRunSpecification?
    for operand in operands {
      let next = try make(operand, reference)
      all = all.map { join($0, next) } ?? next
    }
    return all ?? AnyOperationRunSpecification(.always)
  }

  private func specification(
    at position: Int, _ reference: ConditionReference
  ) throws -> AnyOperationRunSpecification {
    var isRun = false
    if case .run = reference { isRun = true }
    let isShared = isRun || !dependsOnReference(.named(position))
    if isShared, let known = named[position] { return known }
    let definition = run.pipeline.specifications[position]
    let formula = try make(definition.formula.root, reference)
    let made =
      if let hold = definition.hold {
        AnyOperationRunSpecification(formula.hold(for: hold).named(definition.name))
      } else {
        AnyOperationRunSpecification(formula.named(definition.name))
      }
    if isShared { named[position] = made }
    return made
  }

  // MARK: Plugins

  private func plugin(_ use: PluginUse) throws -> PluginCondition {
    let plugin = try services.plugins.plugin(use.plugin, in: run.pipeline)
    let offer = try plugin.offer(use.offer, .specification)
    let settings = try use.settings(for: offer, in: RunContexts(run: run))
    let key = PluginCondition.Key(offer: use.offer, settings: settings.text, pipeline: run.pipeline)
    if let known = plugins[key] { return known }
    let made = services.plugins.conditions.condition(key) {
      let secrets = PluginSecrets(of: use.plugin, in: run.pipeline, services.plugins)
      return PluginCondition(
        plugin: plugin, offer: offer, settings: settings, directory: key.directory, secrets: secrets,
        services: services.plugins
      )
    }
    plugins[key] = made
    return made
  }

  /// Returns the plugins' specifications that `formula` uses, including those used through named specifications.
  private func plugins(in formula: SpecificationFormula) throws -> [PluginCondition] {
    var found: [PluginCondition] = []
    var seen: Set<Int> = []
    func visit(_ node: SpecificationFormula.Node) throws {
      var leaves: [SpecificationFormula.Node] = []
      node.forEachLeaf { leaves.append($0) }
      for leaf in leaves {
        switch leaf {
        case .plugin(let use): found.append(try plugin(use))
        case .named(let position) where seen.insert(position).inserted:
          try visit(run.pipeline.specifications[position].formula.root)
        default: break
        }
      }
    }
    do {
      try visit(formula.root)
    } catch let error as ExpressionError {
      throw OperationFailure(code: "expression", message: "\(formula.text): \(error.message)")
    }
    return found
  }

  /// Waits until the values of the plugins' specifications in `formula` are known, but no longer than ``PluginCondition/patience``, because a
  /// condition that is evaluated only once must not be evaluated too early.
  func settle(_ formula: SpecificationFormula, isolation: isolated (any Actor)? = #isolation) async throws {
    for condition in try plugins(in: formula) where !condition.isSettled { await condition.settle() }
  }

  /// Starts the plugins' specifications, so that their values are known when they are needed.
  func askPlugins(_ formulas: [SpecificationFormula]) -> [PluginCondition] {
    formulas.flatMap { (try? plugins(in: $0)) ?? [] }
  }

  /// Whether the value depends on the reference.
  private func dependsOnReference(_ node: SpecificationFormula.Node) -> Bool {
    var asks = false
    node.forEachLeaf { leaf in
      switch leaf {
      case .olderThan, .changed, .succeeded: asks = true
      case .named(let position): asks = asks || dependsOnReference(run.pipeline.specifications[position].formula.root)
      case .always, .never, .connected, .foreground, .fileExists, .plugin, .not, .and, .or: break
      }
    }
    return asks
  }

  /// Returns the time after which a pipeline must have succeeded, or nil if only its latest run counts.
  private func since(_ reference: ConditionReference) -> RecordTime? {
    switch reference {
    case .run: nil
    case .now: services.now()
    case .since(let moment): moment
    case .success(let success): success.endedAt
    }
  }

  private func changed(_ template: Template, _ reference: ConditionReference) throws -> ChangedSpecification {
    let path = try path(template)
    let since: ChangedSpecification.Reference =
      switch reference {
      // From the beginning of the success: what changed while it ran may not be included in it.
      case .success(let success): .success(begun: success.startedAt ?? success.endedAt ?? run.times.startedAt)
      case .run: .run(began: run.times.startedAt, found: stamps[path] ?? FileStamp(path))
      case .now: .run(began: services.now(), found: FileStamp(path))
      case .since(let moment): .run(began: moment, found: FileStamp(path))
      }
    return ChangedSpecification(
      path: path, text: "changed(\(template.text))", since: since, watch: services.observations.paths,
      loop: services.loop)
  }

  /// Returns the absolute path for a path in the pipeline file.
  private func path(_ template: Template) throws -> String {
    let written = try template.evaluate(in: RunContexts(run: run)).injectedText
    guard !written.isEmpty, !written.utf8.contains(0) else {
      throw ExpressionError(otherCode: "path", "'\(template.text)' is not a path")
    }
    return PathText.join(run.pipeline.source.directory, written)
  }
}
