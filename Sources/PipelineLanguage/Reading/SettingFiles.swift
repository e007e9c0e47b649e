/// Supplies the files of params and variables that a pipeline names.
///
/// A resumed run uses files of params as they were when it started, but files of variables as they are now: their values are not recorded, because such
/// files often contain passwords.
struct SettingFiles: Sendable {
  /// The purpose of reading the files.
  enum Purpose: Sendable {
    /// Checking or starting a pipeline.
    case start
    /// Resuming a run, or starting it again from its record.
    case recorded
    /// Only displaying a record.
    case display
    /// Comparing versions, using only recorded texts.
    case comparison
  }

  private let purpose: Purpose
  /// Texts that replace files, by absolute path.
  private let texts: [String: String]

  init(_ purpose: Purpose = .start, texts: [String: String] = [:]) {
    self.purpose = purpose
    self.texts = texts
  }

  /// The result of looking up a file.
  enum Found {
    case text(SourceText)
    /// There is no file, which is not an error.
    case absent
    case failure(PipelineFile.Failure)
  }

  /// Whether errors in a file of params do not prevent a run, because the params of a run are recorded.
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
