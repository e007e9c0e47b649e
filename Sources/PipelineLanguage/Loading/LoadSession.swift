import Expressions
import OperatingSystem

/// The loading of one file and of all that it runs: reads every file once, and keeps what was found in each.
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
  /// The files that are being read, outermost first: their absolute paths, and their paths as messages show them.
  private var chain: [(path: String, shown: String)] = []
  private var diagnostics: [[Diagnostic]] = []
  /// The texts of included files by their absolute paths: several pipelines may include one.
  private var included: [String: SourceText] = [:]
  /// How many templates the outermost file has, where it is none that runs but one to include.
  private var templateCount: Int?
  private var sources: [SourceText] = []
  let plugins: PluginSource
  let host: HostSource
  /// Texts that stand for files, by their absolute paths.
  private let texts: [String: String]
  /// Whether what is loaded has been run before, by this version or a former one.
  private let isRecorded: Bool
  /// Where files of params and variables are found.
  private let settings: SettingFiles
  /// Those that were read or looked for, as messages show them.
  private(set) var settingFiles: [String] = []
  /// Whether ``shapes`` are noted.
  private let notesShapes: Bool
  /// What shapes the outcome of each operation, and of each file as a whole, by the absolute paths of the files.
  private(set) var shapes: [String: FileShape] = [:]

  /// What a file says, as hashes.
  struct FileShape: Sendable, Hashable {
    /// Of all of it.
    var content: String
    /// Of the files of params and variables that it names.
    var settings: String
    /// Of its operations, by their names.
    var operations: [String: OperationShape]
    /// The files of the pipeline's variables that are from one, by the names of these.
    var variables: [String: String]
  }

  /// What is found in a definition that was right when it was recorded is found by a check that is newer than it. These leave a whole definition behind,
  /// which can go on.
  private static let newerChecks: Set<String> = [
    DiagnosticCode.duplicateName.rawValue, DiagnosticCode.secretExposed.rawValue,
    DiagnosticCode.secretInArguments.rawValue, DiagnosticCode.typeMismatch.rawValue,
    ExpressionCode.unknownMember.rawValue,
  ]

  /// - Parameters:
  ///   - plugins: What `uses` may reach.
  ///   - host: The host that is to run it. Of what has been run before, a host has accepted what it wants.
  ///   - texts: Texts that stand for files, by their absolute paths.
  ///   - isRecorded: Whether it has been run before.
  ///   - notesShapes: Whether definitions are to be compared.
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

  /// The pipeline at `path`, as the file that is being read names it.
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
      return .refused(code: failure.code, message: failure.calling(shown).message)
    case .success(let text): return read(text, absolutePath: absolute).nested
    }
  }

  /// What stands for the file at a path, or what it says.
  private func text(of absolute: String, shown: String) -> Result<SourceText, PipelineFile.Failure> {
    if let text = texts[absolute] { return .success(SourceText(path: shown, text: text)) }
    return PipelineFile.read(absolute, isArgument: false).map { SourceText(path: shown, bytes: $0.bytes) }
  }

  /// The text of a file that is included, which is one of the sources from now on.
  private func includedText(of absolute: String, shown: String) -> Result<SourceText, PipelineFile.Failure> {
    if let known = included[absolute], known.path == shown { return .success(known) }
    let result =
      included[absolute].map { .success(SourceText(path: shown, text: $0.text)) }
      ?? text(of: absolute, shown: shown)
    switch result {
    case .success(let text):
      if text.encodingFault == nil { included[absolute] = text }
      sources.append(text)
    // Whoever waits for a correction waits for the file, too.
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
        .notPipeline, "the file has no operations: it is one that pipelines include", at: .beginning,
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
        // What a mistake of YAML hides is anybody's guess.
        let errors = reader.diagnostics.filter { $0.severity == .error }
        let included = Set(inclusion.files.dropFirst().map(\.text.path))
        // The same goes for one in an included file.
        let isReadable =
          !yaml.diagnostics.contains { $0.severity == .error } && !errors.contains { included.contains($0.file) }
        let own = errors.lazy.filter { $0.file == source.path }.map(\.range)
        definition = isReadable ? definition?.knownPart(of: root, errors: Array(own)) : nil
      }
    }
    // A nested pipeline with errors has none of its own to show for it; the outer one is broken all the same.
    // What is wrong in the files that it names comes behind what is wrong in it, and each once: what an included file says is read where it is used as well.
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
