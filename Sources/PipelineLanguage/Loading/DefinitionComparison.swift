import Expressions
import OperatingSystem

/// What has changed in a pipeline since a run of it, as far as it shapes what operations come to: not where they stand in the file, what they are called where
/// they are shown, or when and how often they are tried.
package struct DefinitionComparison: Sendable {
  /// What is different for an operation.
  package enum Change: Sendable, Hashable {
    /// What the file says of it.
    case definition
    /// What its items are made of.
    case items
    /// A pipeline that it runs, by the path in the file.
    case pipeline(String)
    /// A file of params or variables of a pipeline that it runs, and nothing else of that, by the path of the pipeline in the file.
    case pipelineSettings(String)
    /// Variables under the pipeline's `env` that reach it, by their names.
    case environment([String])
    /// Variables that reach it from a file under `env_file`, its own or the pipeline's, by their names; nil where they are from several files.
    case fileVariables([String], file: String?)
    /// Where secrets come from, by their names.
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

  /// Compares a pipeline with what was recorded of it. Nil where there is no difference, or none that can be told, as the recorded text does not load any more.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline as it is now.
  ///   - text: Its text then.
  ///   - path: The path of its file then.
  ///   - nested: What else was recorded of it: see ``PipelineDefinition/recordedTexts``.
  package init?(of pipeline: PipelineDefinition, with text: String, path: String, nested: [String: String]) {
    let texts = pipeline.recordedTexts
    guard pipeline.source.text != text || texts != nested else { return nil }
    guard let former = Version(text: text, path: path, nested: nested),
      let current = Version(text: pipeline.source.text, path: pipeline.source.path, nested: texts)
    else { return nil }
    (self.former, self.current, self.pipeline) = (former, current, pipeline)
  }

  /// What is different for the operation at `position`; nil where it was not there.
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

  /// The hashes of a pipeline that an operation runs and of all that it runs itself, by their files.
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
  /// The variables under the pipeline's `env` that the operation gets or names.
  package func variables(among names: [String]) -> [String] {
    let own = environment.map(\.name)
    let getsAll = action.kind.secretReach == .environment
    return names.filter { name in
      getsAll && !own.contains(name) || inputs.contains { $0.references.contains { $0.names("env", name) } }
    }
  }
}

extension ExpressionReference {
  /// Whether it names that member of a context, or may.
  package func names(_ context: String, _ member: String) -> Bool {
    guard self.context.lowercased() == context else { return false }
    return path.first.map { $0.lowercased() == member.lowercased() } ?? true
  }
}
