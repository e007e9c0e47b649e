import PluginHost
import Values

/// Checks a pipeline as a whole after it was read: names, references, order, types, secrets and nested pipelines.
///
/// Each part is in its own file and adds its findings to the drafts. A part that finds an error leaves something neutral (the type `json`, no
/// dependency), so that later parts do not report consequential errors.
final class PipelineChecker {
  let reader: DocumentReader
  let session: any NestedPipelines
  var draft: PipelineDraft
  /// The positions of the operations by name, as written and in lower case.
  private var indexByName: [String: Int] = [:]
  /// The names of the handlers, in lower case.
  var handlerNames: Set<String> = []
  /// For each operation, the places where it names its dependencies.
  var references: [[DependencyReference]] = []
  /// The nested pipelines by the path written in the file. For one with errors, what is known of it; nil for one that could not be loaded.
  var nested: [String: PipelineDefinition?] = [:]
  /// The nested pipelines that receive a secret.
  var nestedWithSecrets: Set<String> = []
  /// The names, in lower case, of the pipeline's environment variables that contain a secret.
  var secretVariables: Set<String> = []
  /// Whether a secret reaches every process through the environment.
  var hasSecretEnvironment = false
  /// The result types of whole operations, computed in dependency order; `json` until then.
  var resultTypes: [ValueType] = []
  /// The plugins in use, by id; nil for one that cannot be used.
  var plugins: [String: (any PipelinePlugin)?] = [:]
  /// The `plugins.lock` beside the file, after the first lookup.
  var lock: PluginLock??
  var hasReportedLock = false
  /// The remaining number of name comparisons for suggestions; a file with very many errors gets no more suggestions after that.
  private var comparisonsLeft = 2_000_000

  init(draft: PipelineDraft, reader: DocumentReader, session: any NestedPipelines) {
    self.draft = draft
    self.reader = reader
    self.session = session
  }

  /// Returns the finished definition; if the reader has errors, it only shows what is known.
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

  /// Takes the definitions out of the drafts, which are no longer used.
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

  /// Calls `body` with each operation and handler.
  func forEachDraft(_ body: (OperationDraft) -> Void) {
    draft.operations.forEach(body)
    draft.handlers.forEach(body)
  }

  /// Returns `did you mean 'x'?` for the operation whose name is nearest to `name`.
  func operationSuggestion(for name: String, prefix: String = "") -> String? {
    guard comparisonsLeft > 0 else { return nil }
    comparisonsLeft -= draft.operations.count
    return NearestName.suggestion(for: name, among: draft.operations.map(\.definition.name))
      .map { "did you mean '\(prefix)\($0)'?" }
  }

  /// Returns the position of the operation `name`; names are case-insensitive.
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
        .duplicateName, "the name '\(name)' is already used on line \(first.start.line)", at: operation.nameRange)
      return false
    }
    for (index, operation) in draft.operations.enumerated() {
      // An operation whose name differs only in case has been reported; references to it are not errors as well.
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
