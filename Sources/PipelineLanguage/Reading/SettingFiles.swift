/// Where the loading of a pipeline finds the files of params and variables that it names.
///
/// A run that goes on has the files of params as they were when it began, and those of variables as they are now: their values are not recorded, as people
/// keep passwords in such files.
struct SettingFiles: Sendable {
  /// What files are read for.
  enum Purpose: Sendable {
    /// A pipeline that is checked or begun.
    case start
    /// One that goes on, or is begun again from its record.
    case recorded
    /// A record that is only looked at.
    case display
    /// Finding out what has changed since: everything is taken from records.
    case comparison
  }

  private let purpose: Purpose
  /// Texts that stand for files, by their absolute paths.
  private let texts: [String: String]

  init(_ purpose: Purpose = .start, texts: [String: String] = [:]) {
    self.purpose = purpose
    self.texts = texts
  }

  /// What became of a file.
  enum Found {
    case text(SourceText)
    /// There is none, and that is no mistake.
    case absent
    case failure(PipelineFile.Failure)
  }

  /// Whether what is wrong with a file of params keeps nothing from running: what a run was given is recorded.
  var forgivesParameters: Bool { purpose != .start }

  func parameters(_ file: SettingFileReference, shown: String, absolute: String) -> Found {
    if let text = texts[absolute] { return .text(SourceText(path: shown, text: text)) }
    switch purpose {
    case .start, .recorded: return read(file, shown: shown, absolute)
    case .display, .comparison: return .absent
    }
  }

  func variables(_ file: SettingFileReference, shown: String, absolute: String) -> Found {
    switch purpose {
    case .display: return .absent
    case .comparison:
      return texts[VariableHashes.key(of: absolute)].map { .text(SourceText(path: shown, text: $0)) } ?? .absent
    case .start:
      if let text = texts[absolute] { return .text(SourceText(path: shown, text: text)) }
      return read(file, shown: shown, absolute)
    case .recorded: return read(file, shown: shown, absolute)
    }
  }

  private func read(_ file: SettingFileReference, shown: String, _ absolute: String) -> Found {
    switch PipelineFile.read(absolute, isArgument: false) {
    case .success(let content): return .text(SourceText(path: shown, bytes: content.bytes))
    case .failure(let failure):
      guard failure.code == .fileNotFound else { return .failure(failure) }
      return file.isRequired ? .failure(failure.calling(shown)) : .absent
    }
  }
}
