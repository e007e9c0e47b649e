import Expressions

/// An operation that has been read, with the places that the checks need; what the checks find out is added to its
/// definition.
///
/// A class, because the checks pass over ten thousand of them many times, and a copy of so many fields is not cheap.
final class OperationDraft {
  /// A nested pipeline as the operation names it.
  struct NestedCall {
    var path: String
    var node: YAMLNode
    var parameters: [(name: String, range: SourceRange, value: PlacedData)] = []
  }

  var definition: OperationDefinition
  /// Where the name is written, or the operation begins when it has none.
  var nameRange: SourceRange
  /// The event of a handler; nil for an operation.
  var event: PipelineDefinition.Event?
  /// What the operation does; nil when that could not be read.
  var actionKey: ActionKey? {
    didSet { takesRequirementAsData = actionKey?.kind.takesRequirementAsData ?? false }
  }
  /// Whether what is injected reaches the action as data. Kept, as it is asked for each of its expressions.
  private(set) var takesRequirementAsData = false
  var needs: [(name: String, node: YAMLNode)] = []
  /// The operation named by `inject: name`.
  var injectedName: (name: String, node: YAMLNode)?
  var sites: [ExpressionSite] = []
  var automaticInjection: PlacedData?
  var namedInjections: [(name: String, value: PlacedData)] = []
  var injectRange: SourceRange?
  /// Whether some of what is injected could not be read, which is reported.
  var hasUnreadInjection = false
  var resultRange: SourceRange?
  var conditionRange: SourceRange?
  var exclusiveRange: SourceRange?
  /// Whether it is known that it runs in no run, and needs not even fail for that.
  var neverRuns = false
  var gate: GateDraft?
  var pluginUse: PluginUseDraft?
  /// The words of `retry.early` that go with requests.
  var earlyWords: [(name: String, range: SourceRange)] = []
  /// Whether `defaults` has a `retry`.
  var hasDefaultRetry = false
  /// The files that its `env_file` names, and its own `env`.
  var environmentFiles: [SettingFileReference] = []
  var environment: [(name: String, value: Template)] = []
  var settings: [(name: String, range: SourceRange, value: PlacedData)]? = []
  /// Where the word `with` is.
  var settingsRange: SourceRange?
  /// What the action is made of, where that is one value and the checks need its place.
  var operand: PlacedData?
  var loopList: PlacedData?
  /// What an item is called, in whichever place that is written.
  var label: LabelDraft?
  var matrix = MatrixDraft()
  /// The keys that mean nothing without a loop.
  var loopKeys: [YAMLEntry] = []
  var failFast = false
  var maxFailures: Int?
  var nestedCall: NestedCall?
  var resources: [(name: String, amount: Int, range: SourceRange, amountRange: SourceRange)] = []

  /// What was read of `label`.
  struct LabelDraft {
    var keyRange: SourceRange
    var template: Template
    var placed: PlacedData
  }

  /// What was read of a matrix.
  struct MatrixDraft {
    var lists: [(name: String, values: PlacedData)] = []
    /// What stands under `exclude` and `include`, where it is written out: each entry, else nil.
    var exclude: [PlacedData]?
    var include: [PlacedData]?
    /// The expressions that yield the whole of them.
    var computed: [(key: MatrixKey, list: PlacedData)] = []
  }

  /// What was read of a gate, whose keys may stand in any order.
  struct GateDraft {
    var formula: SpecificationFormula?
    var range: SourceRange?
    var otherwise: OperationDefinition.Gate.Otherwise?
    var waitAtMost: Duration?
    /// The keys that mean nothing without `run_when`.
    var keys: [YAMLEntry] = []
  }

  init(definition: OperationDefinition, nameRange: SourceRange, event: PipelineDefinition.Event?) {
    self.definition = definition
    self.nameRange = nameRange
    self.event = event
  }

  /// Takes the definition out, without a copy: it is large. What is left is of no use.
  func takeDefinition() -> OperationDefinition {
    var taken = OperationDefinition(name: "", index: definition.index, action: .nothing, range: nameRange)
    swap(&taken, &definition)
    return taken
  }

  /// How messages name it.
  var title: String { "operation '\(definition.name)'" }
}

/// What `defaults` says, and what the pipeline says for every operation.
struct OperationDefaults {
  var timeout: Duration?
  var grace: Duration?
  var retry: OperationDefinition.Retry?
  var environment: [(name: String, value: Template)] = []
  var directory: Template?
  var shell: [String]?

  /// Gives a definition what `share` of `defaults`.
  func apply(to definition: inout OperationDefinition, _ share: DefaultsShare) {
    switch share {
    case .process:
      if let directory { definition.directory = directory }
      if let shell { definition.shell = shell }
      definition.environment = environment
    case .work: break
    case .nothing: return
    }
    if let timeout { definition.timeout = timeout }
    if let grace { definition.grace = grace }
    if let retry { definition.retry = retry }
  }
}

/// A pipeline that has been read, before the checks that need the whole of it.
struct PipelineDraft {
  var definition: PipelineDefinition
  var operations: [OperationDraft] = []
  var handlers: [OperationDraft] = []
  var defaults = OperationDefaults()
  /// The expressions outside operations: `env`, `defaults.env`, `defaults.directory`.
  var sites: [ExpressionSite] = []
  var plugins: [PluginEntry] = []
  /// The files that `params_file` and `env_file` name.
  var parameterFiles: [SettingFileReference] = []
  var environmentFiles: [SettingFileReference] = []
  /// The files of the variables that are from one, by their names, where definitions are compared.
  var variableFiles: [String: String] = [:]
}
