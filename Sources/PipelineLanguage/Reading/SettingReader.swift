import Expressions
import OperatingSystem
import Values

/// What a reader has read from files of params and variables.
struct FoundSettings {
  /// All named files, as messages show them, whether they exist or not.
  var files: [String] = []
  /// The texts that findings may quote. Files of variables are not included, because their lines may be passwords.
  var sources: [SourceText] = []
  /// See ``PipelineDefinition/settingTexts``.
  var texts: [String: String] = [:]
  /// The contents of each file of variables by absolute path, because many operations may name the same file.
  fileprivate var variables: [String: [(name: String, value: Template)]] = [:]

  mutating func add(_ other: FoundSettings) {
    let known = Set(files)
    files += other.files.filter { !known.contains($0) }
    sources += other.sources
    texts.merge(other.texts) { $1 }
  }
}

extension DocumentReader {
  /// Replaces the defaults of params with the values from files.
  func readParameterFiles(_ files: [SettingFileReference], into definition: inout PipelineDefinition) {
    for file in files {
      let (shown, absolute) = place(of: file)
      switch settings.parameters(file, shown: shown, absolute: absolute) {
      case .absent: break
      case .failure(let failure): refuse(file, failure, what: "params_file")
      case .text(let text):
        guard let format = ParameterFile.Format(path: file.path) else {
          error(
            .unknownWord, "'\(file.path)' must end with .yaml, .yml, .json or .env, which says how it is read",
            at: file.range)
          continue
        }
        let values = ParameterFile(text, format, for: definition)
        found.sources.append(text)
        found.texts[absolute] = text.text
        for var diagnostic in values.diagnostics {
          if settings.forgivesParameters { diagnostic.severity = .warning }
          report(diagnostic, in: file)
        }
        for index in definition.parameters.indices {
          guard let value = values.values[definition.parameters[index].name] else { continue }
          definition.parameters[index].defaultValue = value
          definition.parameters[index].defaultFile = file.path
        }
      }
    }
  }

  /// Returns the variables of files; a later file takes precedence over an earlier one.
  func variables(of files: [SettingFileReference]) -> [(name: String, value: Template)] {
    var variables: [(name: String, value: Template)] = []
    for file in files {
      variables = Self.merged(variables, with: self.variables(of: file))
    }
    return variables
  }

  /// Returns the file, as written, of each variable that comes from one and is not in `own`; of several files, the one that takes precedence.
  /// The files must have been read.
  func origins(of files: [SettingFileReference], except own: [(name: String, value: Template)]) -> [String: String] {
    var origins: [String: String] = [:]
    for file in files {
      for variable in found.variables[place(of: file).absolute] ?? [] { origins[variable.name] = file.path }
    }
    for variable in own { origins[variable.name] = nil }
    return origins
  }

  private func variables(of file: SettingFileReference) -> [(name: String, value: Template)] {
    let (shown, absolute) = place(of: file)
    if let known = found.variables[absolute] { return known }
    switch settings.variables(file, shown: shown, absolute: absolute) {
    case .absent: return []
    case .failure(let failure):
      refuse(file, failure, what: "env_file")
      return []
    case .text(let text):
      let read = DotenvReader(text)
      for diagnostic in read.diagnostics { report(diagnostic, in: file) }
      let allowed = read.entries.filter { isVariable($0, in: file, shown) }
      found.texts[VariableHashes.key(of: absolute)] = VariableHashes.text(of: allowed)
      let variables = allowed.map { (name: $0.name, value: Template(literal: $0.value)) }
      found.variables[absolute] = variables
      return variables
    }
  }

  /// Reports a finding in a file, with a note for the place that names the file.
  private func report(_ diagnostic: Diagnostic, in file: SettingFileReference) {
    var diagnostic = diagnostic
    var range = file.range
    range.origin = 0
    diagnostic.note = Diagnostic.Note(
      message: "the file is named here", file: origins[Int(file.range.origin)].text.path, range: range)
    report(diagnostic)
  }

  private func place(of file: SettingFileReference) -> (shown: String, absolute: String) {
    let shown = PathText.join(PathText.directory(of: source.path), file.path)
    if !found.files.contains(shown) { found.files.append(shown) }
    return (shown, PathText.absolute(PathText.join(directory, file.path)))
  }

  private func refuse(_ file: SettingFileReference, _ failure: PipelineFile.Failure, what key: String) {
    let fix =
      failure.code == .fileNotFound
      ? "correct the path, or write '\(key): { path: \(file.path), required: false }'" : nil
    if key == "params_file", settings.forgivesParameters {
      warning(failure.code, failure.message, at: file.range, fix: fix)
    } else {
      error(failure.code, failure.message, at: file.range, fix: fix)
    }
  }

  /// Returns whether an entry can name a variable that the author sets.
  private func isVariable(_ entry: DotenvReader.Entry, in file: SettingFileReference, _ shown: String) -> Bool {
    let code: DiagnosticCode
    let message: String
    if !NameRule.variable.allows(entry.name) {
      (code, message) = (
        .invalidName, "'\(entry.name)' cannot be an environment variable: it may contain \(NameRule.variable.text)"
      )
    } else if entry.name.utf8.starts(with: "PENSTOCK_".utf8) {
      (code, message) = (
        .reservedName, "'\(entry.name)' cannot be set: names that begin with PENSTOCK_ are the engine's own"
      )
    } else {
      return true
    }
    report(Diagnostic(code: code, message, file: shown, range: entry.nameRange), in: file)
    return false
  }
}
