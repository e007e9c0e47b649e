import Expressions
import OperatingSystem

/// The changes in a pipeline since one of its runs, as far as they affect the results of operations: not positions in the file, labels, or when
/// and how often operations are attempted.
package struct DefinitionComparison: Sendable {
  /// A change that affects an operation.
  package enum Change: Sendable, Hashable {
    /// Its definition in the file.
    case definition
    /// The source of its items.
    case items
    /// A nested pipeline, by the path in the file.
    case pipeline(String)
    /// Only a file of params or variables of a nested pipeline, by the pipeline's path in the file.
    case pipelineSettings(String)
    /// Variables under the pipeline's `env` that reach it, by name.
    case environment([String])
    /// Variables that reach it from a file under `env_file`, its own or the pipeline's, by name; nil if they come from several files.
    case fileVariables([String], file: String?)
    /// The sources of secrets, by name.
    case secrets([String])
  }

  private let former: Version
  private let current: Version
  private let pipeline: PipelineDefinition

  private struct Version: Sendable {
    let pipeline: PipelineDefinition
    let shapes: [String: LoadSession.FileShape]
    let file: LoadSession.FileShape

    init?(text: String, path: String, nested: [String: String]) {
      let session = LoadSession(plugins: .unchecked, texts: nested, isRecorded: true, notesShapes: true)
      guard let pipeline = session.load(SourceText(path: path, text: text)).pipeline,
        let file = session.shapes[PathText.absolute(path)]
      else { return nil }
      (self.pipeline, self.file) = (pipeline, file)
      shapes = session.shapes
    }
  }

  /// Compares a pipeline with a recorded version. Returns nil if there is no difference, or if the recorded text can no longer be loaded.
  ///
  /// - Parameters:
  ///   - pipeline: The current pipeline.
  ///   - text: The recorded text.
  ///   - path: The path of its file at that time.
  ///   - nested: The other recorded texts: see ``PipelineDefinition/recordedTexts``.
  package init?(of pipeline: PipelineDefinition, with text: String, path: String, nested: [String: String]) {
    let texts = pipeline.recordedTexts
    guard pipeline.source.text != text || texts != nested else { return nil }
    guard let former = Version(text: text, path: path, nested: nested),
      let current = Version(text: pipeline.source.text, path: pipeline.source.path, nested: texts)
    else { return nil }
    (self.former, self.current, self.pipeline) = (former, current, pipeline)
  }

  /// Returns the changes of the operation at `position`; nil if it did not exist then.
  package func changes(at position: Int) -> [Change]? {
    let operation = pipeline.operations[position]
    guard let before = former.file.operations[operation.name], let now = current.file.operations[operation.name] else {
      return nil
    }
    var changes: [Change] = []
    if before.action != now.action || hasOtherPlugin(operation) { changes.append(.definition) }
    if before.items != now.items { changes.append(.items) }
    if let path = operation.action.kind.nestedPath {
      if files(of: path, former, \.content) != files(of: path, current, \.content) {
        changes.append(.pipeline(path))
      } else if files(of: path, former, \.settings) != files(of: path, current, \.settings) {
        changes.append(.pipelineSettings(path))
      }
    }
    let known = current.pipeline.environment.map(\.name)
    let gone = former.pipeline.environment.map(\.name).filter { !known.contains($0) }
    let variables = operation.variables(among: known + gone).filter { name in
      text(of: name, former) != text(of: name, current)
    }
    var ofFiles = variables.compactMap { name in
      (current.file.variables[name] ?? former.file.variables[name]).map { (name: name, file: $0) }
    }
    let own = variables.filter { name in !ofFiles.contains { $0.name == name } }
    if !own.isEmpty { changes.append(.environment(own)) }
    for (name, variable) in before.variables.merging(now.variables, uniquingKeysWith: { $1 }).sorted(by: {
      $0.key < $1.key
    })
    where before.variables[name]?.text != now.variables[name]?.text {
      ofFiles.append((name, variable.file))
    }
    if let file = ofFiles.first?.file {
      changes.append(.fileVariables(ofFiles.map(\.name), file: ofFiles.allSatisfy { $0.file == file } ? file : nil))
    }
    let secrets = current.pipeline.secrets.filter { secret in
      operation.inputs.contains { $0.references.contains { $0.names("secrets", secret.name) } }
        && former.pipeline.secrets.first { $0.name == secret.name }?.origin != secret.origin
    }
    if !secrets.isEmpty { changes.append(.secrets(secrets.map(\.name))) }
    return changes
  }

  private func hasOtherPlugin(_ operation: OperationDefinition) -> Bool {
    guard let plugin = operation.action.kind.usedPlugin else { return false }
    return former.pipeline.plugins[plugin] != current.pipeline.plugins[plugin]
  }

  /// Returns the hashes of a nested pipeline and all pipelines nested in it, by file.
  private func files(
    of path: String, _ version: Version, _ part: KeyPath<LoadSession.FileShape, String>
  ) -> [String: String] {
    guard let nested = version.pipeline.nested[path] else { return [:] }
    let own = PathText.absolute(PathText.join(version.pipeline.source.directory, path))
    let files = [own] + nested.allNested.keys
    return Dictionary(files.map { ($0, version.shapes[$0]?[keyPath: part] ?? "") }) { first, _ in first }
  }

  private func text(of variable: String, _ version: Version) -> String? {
    version.pipeline.environment.first { $0.name == variable }?.value.text
  }
}

extension OperationDefinition {
  /// Returns the variables under the pipeline's `env` that the operation receives or names.
  package func variables(among names: [String]) -> [String] {
    let own = environment.map(\.name)
    let getsAll = action.kind.secretReach == .environment
    return names.filter { name in
      getsAll && !own.contains(name) || inputs.contains { $0.references.contains { $0.names("env", name) } }
    }
  }
}

extension ExpressionReference {
  /// Returns whether the reference names this member of a context, or may.
  package func names(_ context: String, _ member: String) -> Bool {
    guard self.context.lowercased() == context else { return false }
    return path.first.map { $0.lowercased() == member.lowercased() } ?? true
  }
}
