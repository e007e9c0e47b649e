import Expressions

/// An operation that has been read, with the places that the checks need; the checks add their results to its definition.
///
/// A class, because the checks pass over ten thousand of them many times, and copying so many fields is expensive.
final class OperationDraft {
  /// A nested pipeline as the operation names it.
  struct NestedCall {
    var path: String
    var node: YAMLNode
    var parameters: [(name: String, range: SourceRange, value: PlacedData)] = []
  }

  var definition: OperationDefinition
  /// The place of the name, or the start of the operation if it has none.
  var nameRange: SourceRange
  /// The event of a handler; nil for an operation.
  var event: PipelineDefinition.Event?
  /// The action; nil if it could not be read.
  var actionKey: ActionKey? {
    didSet { takesRequirementAsData = actionKey?.kind.takesRequirementAsData ?? false }
  }
  /// Whether injected values reach the action as data. Stored, because it is read for each expression.
  private(set) var takesRequirementAsData = false
  var needs: [(name: String, node: YAMLNode)] = []
  /// The operation named by `inject: name`.
  var injectedName: (name: String, node: YAMLNode)?
  var sites: [ExpressionSite] = []
  var automaticInjection: PlacedData?
  var namedInjections: [(name: String, value: PlacedData)] = []
  var injectRange: SourceRange?
  /// Whether part of the injection could not be read, which was reported.
  var hasUnreadInjection = false
  var resultRange: SourceRange?
  var conditionRange: SourceRange?
  var exclusiveRange: SourceRange?
  /// Whether it certainly never runs, and that without failing.
  var neverRuns = false
  var gate: GateDraft?
  var pluginUse: PluginUseDraft?
  /// The words of `retry.early` that apply to requests.
  var earlyWords: [(name: String, range: SourceRange)] = []
  /// Whether `defaults` has a `retry`.
  var hasDefaultRetry = false
  /// The files under its `env_file`.
  var environmentFiles: [SettingFileReference] = []
  var environment: [(name: String, value: Template)] = []
  var settings: [(name: String, range: SourceRange, value: PlacedData)]? = []
  /// The place of the key `with`.
  var settingsRange: SourceRange?
  /// The operand of the action, if it is a single value whose place the checks need.
  var operand: PlacedData?
  var loopList: PlacedData?
  /// The label of an item, from either place.
  var label: LabelDraft?
  var matrix = MatrixDraft()
  /// The keys that have no effect without a loop.
  var loopKeys: [YAMLEntry] = []
  var failFast = false
  var maxFailures: Int?
  var nestedCall: NestedCall?
  var resources: [(name: String, amount: Int, range: SourceRange, amountRange: SourceRange)] = []

  /// A label as read.
  struct LabelDraft {
    var keyRange: SourceRange
    var template: Template
    var placed: PlacedData
  }

  /// A matrix as read.
  struct MatrixDraft {
    var lists: [(name: String, values: PlacedData)] = []
    /// The entries under `exclude` and `include` if they are literal; otherwise nil.
    var exclude: [PlacedData]?
    var include: [PlacedData]?
    /// The expressions that yield them as a whole.
    var computed: [(key: MatrixKey, list: PlacedData)] = []
  }

  /// A gate as read; its keys may come in any order.
  struct GateDraft {
    var formula: SpecificationFormula?
    var range: SourceRange?
    var otherwise: OperationDefinition.Gate.Otherwise?
    var waitAtMost: Duration?
    /// The keys that have no effect without `run_when`.
    var keys: [YAMLEntry] = []
  }

  init(definition: OperationDefinition, nameRange: SourceRange, event: PipelineDefinition.Event?) {
    self.definition = definition
    self.nameRange = nameRange
    self.event = event
  }

  /// Takes the definition out without copying it, because it is large. The draft must not be used afterwards.
  func takeDefinition() -> OperationDefinition {
    var taken = OperationDefinition(name: "", index: definition.index, action: .nothing, range: nameRange)
    swap(&taken, &definition)
    return taken
  }

  /// The name for messages.
  var title: String { "operation '\(definition.name)'" }
}

/// The values of `defaults`, and those that the pipeline sets for every operation.
struct OperationDefaults {
  var timeout: Duration?
  var grace: Duration?
  var retry: OperationDefinition.Retry?
  var environment: [(name: String, value: Template)] = []
  var directory: Template?
  var shell: [String]?
  var executor: ExecutorUse?

  /// Applies the part of the defaults selected by `share` to a definition.
  func apply(to definition: inout OperationDefinition, _ share: DefaultsShare) {
    switch share {
    case .process:
      if let directory { definition.directory = directory }
      if let shell { definition.shell = shell }
      definition.environment = environment
      definition.executor = executor
    case .work: break
    case .nothing: return
    }
    if let timeout { definition.timeout = timeout }
    if let grace { definition.grace = grace }
    if let retry { definition.retry = retry }
  }
}

/// A pipeline that has been read, before the checks that need all of it.
struct PipelineDraft {
  var definition: PipelineDefinition
  var operations: [OperationDraft] = []
  var handlers: [OperationDraft] = []
  var defaults = OperationDefaults()
  /// The key `executor` of the pipeline.
  var executor: ExecutorUse?
  /// The expressions outside operations: `env`, `defaults.env`, `defaults.directory`, `executor`.
  var sites: [ExpressionSite] = []
  var plugins: [PluginEntry] = []
  /// The files under `params_file` and `env_file`.
  var parameterFiles: [SettingFileReference] = []
  var environmentFiles: [SettingFileReference] = []
  /// The files of variables that come from a file, by variable, if definitions are compared.
  var variableFiles: [String: String] = [:]
}
