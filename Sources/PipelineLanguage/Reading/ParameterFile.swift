import OperatingSystem
import Values

/// The values of params in a file: a mapping in YAML or JSON, or `NAME=value` lines.
struct ParameterFile {
  /// The format of a file.
  enum Format: Sendable {
    case yaml, dotenv

    /// Determines the format from the path: `.yaml`, `.yml` and `.json`; `.env`, also with a suffix, as in `.env.local`. A pipe from the shell is YAML.
    init?(path: String) {
      let name = path.split(separator: "/").last ?? ""
      if name.hasSuffix(".yaml") || name.hasSuffix(".yml") || name.hasSuffix(".json")
        || path.hasPrefix("/dev/") || PathText.isDescriptor(path)
      {
        self = .yaml
      } else if name.hasSuffix(".env") || name.hasPrefix(".env.") {
        self = .dotenv
      } else {
        return nil
      }
    }
  }

  /// The valid values, by param.
  private(set) var values: [String: JSONValue] = [:]
  private(set) var diagnostics: [Diagnostic] = []
  private let source: SourceText
  private let definition: PipelineDefinition
  private let declared: [String: PipelineDefinition.Parameter]

  /// Reads `source` for the params that `definition` declares.
  init(_ source: SourceText, _ format: Format, for definition: PipelineDefinition) {
    self.source = source
    self.definition = definition
    declared = Dictionary(definition.parameters.map { ($0.name, $0) }) { first, _ in first }
    switch format {
    case .yaml: readYAML()
    case .dotenv: readDotenv()
    }
  }

  private mutating func readYAML() {
    let yaml = YAMLReader.read(source.joiningSurrogatePairs)
    // A file in which everything is commented out supplies nothing.
    diagnostics = yaml.diagnostics.filter { $0.code != DiagnosticCode.emptyFile.rawValue }
    guard let root = yaml.root else { return }
    guard let entries = root.entries else {
      if !root.isFaulty {
        error(.wrongForm, "a file of params is a mapping of their names to their values", at: root.range)
      }
      return
    }
    for entry in entries {
      guard let parameter = parameter(entry.name, at: entry.key.range), !entry.value.isFaulty else { continue }
      let value = entry.value.jsonValue()
      if let problem = ParameterRule.problem(with: value, for: parameter) {
        error(
          .invalidParam, "the param '\(parameter.name)' \(problem)", at: entry.value.range,
          fix: DocumentReader.quotingFix(value, parameter.type, entry.value))
      } else {
        values[parameter.name] = value
      }
    }
  }

  private mutating func readDotenv() {
    let dotenv = DotenvReader(source)
    diagnostics = dotenv.diagnostics
    for entry in dotenv.entries {
      guard let parameter = parameter(entry.name, at: entry.nameRange) else { continue }
      switch ParameterResolver.value(of: entry.value, for: parameter) {
      case .success(let value): values[parameter.name] = value
      case .failure(let problem): error(.invalidParam, problem.message, at: entry.valueRange, fix: problem.fix)
      }
    }
  }

  /// Returns the param of this name; nil if there is none, which is reported.
  private mutating func parameter(_ name: String, at range: SourceRange) -> PipelineDefinition.Parameter? {
    if let parameter = declared[name] { return parameter }
    let problem = ParameterResolver.unknown(name, in: definition)
    error(.unknownParam, problem.message, at: range, fix: problem.fix)
    return nil
  }

  private mutating func error(_ code: DiagnosticCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    diagnostics.append(Diagnostic(code: code, message, file: source.path, range: range, fix: fix))
  }
}

/// The values of params in files that are named when a pipeline is started.
package struct ParameterFiles: Sendable {
  /// The values by param; those of a later file take precedence.
  package private(set) var values: [String: JSONValue] = [:]
  /// The files that supply the values, as they were named, by param.
  package private(set) var origins: [String: String] = [:]
  /// All findings, in the order of the files.
  package private(set) var diagnostics: [Diagnostic] = []
  /// The texts to which the findings refer.
  package private(set) var sources: [SourceText] = []

  /// Reads files for the params of a pipeline.
  ///
  /// - Parameters:
  ///   - paths: The files. `-` is standard input, which is YAML or JSON.
  ///   - definition: The pipeline.
  ///   - standardInput: Reads standard input.
  /// - Throws: The error that `standardInput` throws.
  package init(_ paths: [String], for definition: PipelineDefinition, standardInput: () throws -> [UInt8]) rethrows {
    for path in paths {
      if path == "-" {
        let source = SourceText(path: PipelineName.standardInput, bytes: try standardInput())
        add(ParameterFile(source, .yaml, for: definition), of: source)
      } else {
        read(path, for: definition)
      }
    }
  }

  /// Returns the ``origins`` of the values that `given` does not override.
  package func origins(except given: [String]) -> [String: String] {
    origins.filter { !given.contains($0.key) }
  }

  private mutating func read(_ path: String, for definition: PipelineDefinition) {
    guard let format = ParameterFile.Format(path: path) else {
      let message = "a file of params must end with .yaml, .yml, .json or .env, which says how it is read"
      diagnostics.append(Diagnostic(code: .unknownWord, message, file: path, range: .beginning))
      return
    }
    switch PipelineFile.read(path, isArgument: true) {
    case .failure(let failure):
      diagnostics.append(
        Diagnostic(code: failure.code, failure.message, file: path, range: .beginning, fix: failure.fix))
    case .success(let content):
      let source = SourceText(path: path, bytes: content.bytes)
      add(ParameterFile(source, format, for: definition), of: source)
    }
  }

  private mutating func add(_ file: ParameterFile, of source: SourceText) {
    sources.append(source)
    diagnostics += file.diagnostics
    values.merge(file.values) { $1 }
    for name in file.values.keys {
      origins[name] = source.path == PipelineName.standardInput ? "standard input" : source.path
    }
  }
}
