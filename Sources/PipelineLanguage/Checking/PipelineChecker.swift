import PluginHost
import Values

/// Checks a pipeline that has been read, as a whole: names, references, order, types, secrets, nested pipelines.
///
/// The parts are in files of their own; each adds what it finds out to the drafts. A part that finds an error leaves behind
/// something neutral (a type `json`, no dependency), so that the next one does not report a consequence.
final class PipelineChecker {
  let reader: DocumentReader
  let session: any NestedPipelines
  var draft: PipelineDraft
  /// The positions of the operations by name, as it is written and in lower case.
  private var indexByName: [String: Int] = [:]
  /// The names of the handlers, in lower case.
  var handlerNames: Set<String> = []
  /// For each operation, where it names each of its dependencies.
  var references: [[DependencyReference]] = []
  /// The nested pipelines by the path written in the file, what is known of one with errors; nil for one that could not be
  /// loaded.
  var nested: [String: PipelineDefinition?] = [:]
  /// Nested pipelines that are handed a secret.
  var nestedWithSecrets: Set<String> = []
  /// The names, in lower case, of the pipeline's environment variables that hold a secret.
  var secretVariables: Set<String> = []
  /// Whether a secret reaches every process through the environment.
  var hasSecretEnvironment = false
  /// The types of the results of whole operations, found in the order of their dependencies; `json` until then.
  var resultTypes: [ValueType] = []
  /// Each plugin that is used; nil for one that cannot be.
  var plugins: [String: (any PipelinePlugin)?] = [:]
  /// The `plugins.lock` beside the file, once it was looked for.
  var lock: PluginLock??
  var hasReportedLock = false
  /// How many names may still be compared for suggestions; a file with very many mistakes gets no more of them at some point.
  private var comparisonsLeft = 2_000_000

  init(draft: PipelineDraft, reader: DocumentReader, session: any NestedPipelines) {
    self.draft = draft
    self.reader = reader
    self.session = session
  }

  /// The finished definition; when the reader has errors, of use for what is known of it only.
  func check() -> PipelineDefinition {
    indexNames()
    findSecretVariables()
    addSpecificationSites()
    resolveReferences()
    loadNestedPipelines()
    resolveResources()
    resolvePlugins()
    checkSpecifications()
    let order = checkCycles()
    checkTypes(in: order)
    trySettings()
    checkNestedSecrets()
    checkReachability(in: order)
    checkExclusiveOrder()
    return definition()
  }

  /// Takes the definitions out of the drafts, which have served.
  private func definition() -> PipelineDefinition {
    var definition = draft.definition
    definition.operations = draft.operations.map { $0.takeDefinition() }
    definition.handlers = draft.handlers.compactMap { handler in
      handler.event.map { (event: $0, operation: handler.takeDefinition()) }
    }
    for (path, pipeline) in nested {
      guard let pipeline else { continue }
      definition.nested[path] = nestedWithSecrets.contains(path) ? SecretMarking.marked(pipeline) : pipeline
    }
    return definition
  }

  /// Calls `body` with every operation and handler.
  func forEachDraft(_ body: (OperationDraft) -> Void) {
    draft.operations.forEach(body)
    draft.handlers.forEach(body)
  }

  /// `did you mean 'x'?` for the operation nearest to `name`.
  func operationSuggestion(for name: String, prefix: String = "") -> String? {
    guard comparisonsLeft > 0 else { return nil }
    comparisonsLeft -= draft.operations.count
    return NearestName.suggestion(for: name, among: draft.operations.map(\.definition.name))
      .map { "did you mean '\(prefix)\($0)'?" }
  }

  /// The position of the operation called `name`, whatever its case: no two are told apart by that.
  func index(of name: String) -> Int? { indexByName[name] ?? indexByName[name.lowercased()] }

  private func indexNames() {
    var folded: [String: SourceRange] = [:]
    folded.reserveCapacity(draft.operations.count + draft.handlers.count)
    indexByName.reserveCapacity(draft.operations.count)
    func isNew(_ operation: OperationDraft) -> Bool {
      let name = operation.definition.name
      guard !name.isEmpty else { return false }
      let key = name.lowercased()
      guard let first = folded[key] else {
        folded[key] = operation.nameRange
        return true
      }
      reader.error(
        .duplicateName, "the name '\(name)' is taken already, on line \(first.start.line)", at: operation.nameRange)
      return false
    }
    for (index, operation) in draft.operations.enumerated() {
      // One whose name differs in case alone has been reported, and references to it are not wrong on top of that.
      let name = operation.definition.name
      if isNew(operation) || (!name.isEmpty && indexByName[name] == nil) { indexByName[name] = index }
    }
    for (name, index) in indexByName {
      let lowered = name.lowercased()
      if lowered != name, indexByName[lowered] == nil { indexByName[lowered] = index }
    }
    for handler in draft.handlers where isNew(handler) { handlerNames.insert(handler.definition.name.lowercased()) }
  }
}
