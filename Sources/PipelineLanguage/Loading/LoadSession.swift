import Expressions
import OperatingSystem

/// The loading of a file and its nested pipelines: reads every file once, and collects its findings.
final class LoadSession: NestedPipelines {
  private struct Loaded {
    var definition: PipelineDefinition?
    /// Whether its file has no errors.
    var isSound: Bool

    var nested: NestedPipeline {
      guard let definition else { return .broken(nil) }
      return isSound ? .loaded(definition) : .broken(definition)
    }
  }

  private var loaded: [String: Loaded] = [:]
  /// The files being read, outermost first: their absolute paths, and their paths for messages.
  private var chain: [(path: String, shown: String)] = []
  private var diagnostics: [[Diagnostic]] = []
  /// The texts of included files by absolute path, because several pipelines may include the same file.
  private var included: [String: SourceText] = [:]
  /// The number of templates in the outermost file if it is only meant to be included; otherwise nil.
  private var templateCount: Int?
  private var sources: [SourceText] = []
  let plugins: PluginSource
  let host: HostSource
  /// Texts that replace files, by absolute path.
  private let texts: [String: String]
  /// Whether the definition comes from an earlier run, by this version or an older one.
  private let isRecorded: Bool
  /// The source of files of params and variables.
  private let settings: SettingFiles
  /// The files of params and variables that were read or looked up, as messages show them.
  private(set) var settingFiles: [String] = []
  /// Whether ``shapes`` are collected.
  private let notesShapes: Bool
  /// The hashes of what affects the results, by absolute path of each file.
  private(set) var shapes: [String: FileShape] = [:]

  /// Hashes of the contents of a file.
  struct FileShape: Sendable, Hashable {
    /// The hash of the whole file.
    var content: String
    /// The hash of the files of params and variables that it names.
    var settings: String
    /// The hashes of its operations, by name.
    var operations: [String: OperationShape]
    /// The files of those of the pipeline's variables that come from a file, by variable.
    var variables: [String: String]
  }

  /// The errors that a newer check may find in a recorded definition, which was valid when it was recorded. They leave the definition complete, so that
  /// its run can continue.
  private static let newerChecks: Set<String> = [
    DiagnosticCode.duplicateName.rawValue, DiagnosticCode.secretExposed.rawValue,
    DiagnosticCode.secretInArguments.rawValue, DiagnosticCode.typeMismatch.rawValue,
    ExpressionCode.unknownMember.rawValue,
  ]

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - plugins: The plugins available to `uses`.
  ///   - host: The host that will run the pipeline. For a recorded definition, a host has already accepted its requirements.
  ///   - texts: Texts that replace files, by absolute path.
  ///   - isRecorded: Whether the definition comes from an earlier run.
  ///   - notesShapes: Whether definitions will be compared.
  init(
    plugins: PluginSource = .none, host: HostSource = .none, texts: [String: String] = [:], isRecorded: Bool = false,
    notesShapes: Bool = false
  ) {
    self.plugins = plugins
    self.host = isRecorded ? host.orUnchecked : host
    self.texts = texts
    self.isRecorded = isRecorded
    self.notesShapes = notesShapes
    let purpose: SettingFiles.Purpose =
      if notesShapes {
        .comparison
      } else if isRecorded {
        plugins.isUnchecked ? .display : .recorded
      } else {
        .start
      }
    settings = SettingFiles(purpose, texts: texts)
  }

  /// Loads the outermost file.
  func load(_ source: SourceText) -> LoadResult {
    let pipeline = read(source, absolutePath: PathText.absolute(source.path)).definition
    let all = diagnostics.flatMap { $0 }
    return LoadResult(
      pipeline: all.contains { $0.severity == .error } ? nil : pipeline, diagnostics: all, sources: sources,
      settingFiles: settingFiles, templateCount: templateCount)
  }

  /// Returns the pipeline at `path`, relative to the file being read.
  func nested(_ path: String, from source: PipelineDefinition.Source) -> NestedPipeline {
    let shown = PathText.join(PathText.directory(of: source.path), path)
    let absolute = PathText.absolute(PathText.join(source.directory, path))
    if let start = chain.firstIndex(where: { $0.path == absolute }) {
      let steps = (chain[start...].map(\.shown) + [shown]).joined(separator: " → ")
      return .refused(code: .recursivePipeline, message: "the pipeline runs itself: \(steps)")
    }
    if let known = loaded[absolute] { return known.nested }
    guard chain.count <= PipelineLoader.maximumDepth else {
      let message = "pipelines are nested more than \(PipelineLoader.maximumDepth) deep"
      return .refused(code: .nestingTooDeep, message: message)
    }
    switch text(of: absolute, shown: shown) {
    case .failure(let failure):
      // Watchers of the sources also need the missing file.
      sources.append(SourceText(path: shown, text: ""))
      return .refused(code: failure.code, message: failure.calling(shown).message)
    case .success(let text): return read(text, absolutePath: absolute).nested
    }
  }

  /// Returns the text that replaces the file at a path, or its contents.
  private func text(of absolute: String, shown: String) -> Result<SourceText, PipelineFile.Failure> {
    if let text = texts[absolute] { return .success(SourceText(path: shown, text: text)) }
    return PipelineFile.read(absolute, isArgument: false).map { SourceText(path: shown, bytes: $0.bytes) }
  }

  /// Returns the text of an included file, and adds it to the sources.
  private func includedText(of absolute: String, shown: String) -> Result<SourceText, PipelineFile.Failure> {
    if let known = included[absolute], known.path == shown { return .success(known) }
    let result =
      included[absolute].map { .success(SourceText(path: shown, text: $0.text)) }
      ?? text(of: absolute, shown: shown)
    switch result {
    case .success(let text):
      if text.encodingFault == nil { included[absolute] = text }
      sources.append(text)
    // Watchers of the sources also need the missing file.
    case .failure: sources.append(SourceText(path: shown, text: ""))
    }
    return result
  }

  private func read(_ source: SourceText, absolutePath: String) -> Loaded {
    chain.append((absolutePath, source.path))
    let place = diagnostics.count
    diagnostics.append([])
    sources.append(source)
    defer { _ = chain.popLast() }
    let yaml = YAMLReader.read(source)
    let reader = DocumentReader(
      source: source, forgiven: isRecorded ? Self.newerChecks : [], notesShapes: notesShapes, settings: settings)
    for finding in yaml.diagnostics { reader.report(finding) }
    var definition: PipelineDefinition?
    var inclusion = Inclusion(reader: reader) { self.includedText(of: $0, shown: $1) }
    if let root = yaml.root, IncludedKey.areAll(of: root) {
      let count = inclusion.checkAlone(root, path: absolutePath)
      if chain.count == 1 { templateCount = count }
      reader.error(
        .notPipeline, "the file has no operations: it is meant to be included in pipelines", at: .beginning,
        fix: "add 'operations', or name it under 'include' of a pipeline")
    } else if let root = yaml.root, HostKey.areAll(of: root) {
      reader.error(
        .notPipeline, "the file has no operations: it is the configuration of a host", at: .beginning,
        fix: "check it with 'penstock check --config FILE'")
    } else if let own = yaml.root {
      let root = inclusion.joined(own, path: absolutePath)
      let origin = PipelineDefinition.Source(
        path: source.path, directory: PathText.directory(of: absolutePath), text: source.text,
        hash: ContentHash.of(source.text))
      var draft = reader.pipeline(root, source: origin)
      draft.definition.included = inclusion.texts
      let checked = PipelineChecker(draft: draft, reader: reader, session: self).check()
      if case .host(let host) = host.kind {
        for finding in host.ownFindings(in: checked, runsItself: chain.count == 1) { reader.report(finding) }
      }
      if let workspace = host.executorsOf, !isRecorded {
        let (found, source) = ExecutorCheck(workspace: workspace).findings(in: checked)
        for finding in found { reader.report(finding) }
        if let source { sources.append(source) }
      }
      definition = checked
      sources += reader.found.sources
      settingFiles += reader.found.files
      if notesShapes {
        var content = FingerprintInputs()
        root.add(to: &content, regardsQuotes: false)
        var settings = FingerprintInputs()
        for (path, text) in draft.definition.settingTexts.sorted(by: { $0.key < $1.key }) { settings.add(path, text) }
        shapes[absolutePath] = FileShape(
          content: content.digest, settings: settings.digest, operations: reader.shapes,
          variables: draft.variableFiles)
      }
      if reader.hasErrors {
        // After a YAML error, the rest of the file is unknown.
        let errors = reader.diagnostics.filter { $0.severity == .error }
        let included = Set(inclusion.files.dropFirst().map(\.text.path))
        // The same applies to an error in an included file.
        let isReadable =
          !yaml.diagnostics.contains { $0.severity == .error } && !errors.contains { included.contains($0.file) }
        let own = errors.lazy.filter { $0.file == source.path }.map(\.range)
        definition = isReadable ? definition?.knownPart(of: root, errors: Array(own)) : nil
      }
    }
    // A nested pipeline with errors reports them in its own file only, but makes the outer one invalid too. Findings in included files follow those
    // in the file itself, without duplicates, because an included text is checked both by itself and where it is used.
    let own = reader.diagnostics.filter { $0.file == source.path }
    let others = own.count == reader.diagnostics.count ? [] : reader.diagnostics.filter { $0.file != source.path }
    let files = inclusion.files.map(\.text.path)
    diagnostics[place] = Self.sorted(own) + DiagnosticRenderer.sorted(others, files: files)
    let found = Loaded(definition: definition, isSound: !reader.hasErrors)
    loaded[absolutePath] = found
    return found
  }

  private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.enumerated().sorted { left, right in
      let (first, second) = (left.element.range.start, right.element.range.start)
      return first == second ? left.offset < right.offset : first < second
    }.map(\.element)
  }
}
