import OperatingSystem

/// Reads pipeline files, within limits.
enum PipelineFile {
  /// The reason that a file could not be read.
  struct Failure: Error {
    var code: DiagnosticCode
    var message: String
    /// How to fix it.
    var fix: String?

    private init(code: DiagnosticCode, message: String) {
      self.code = code
      self.message = message
    }

    /// Returns the same failure for a missing file with the path `path` in the message.
    func calling(_ path: String) -> Failure {
      code == .fileNotFound ? Failure(code: code, message: "there is no file '\(path)'") : self
    }

    /// Creates the failure to read a file. `path` is its name for messages; `isArgument` means that a user named it.
    init(_ error: InputFileError, path: String, isArgument: Bool = false) {
      if error.isMissing {
        code = .fileNotFound
        message = "there is no file '\(path)'"
      } else {
        code = error.isLackOfResources ? .systemLimit : .fileUnreadable
        message = error.description
        if isArgument, case .unsuitable(_, .pipe) = error {
          fix =
            "to read what somebody writes to it, write '-' and redirect standard input: - < \(ShellText.quoted(path))"
        }
      }
    }
  }

  /// The contents of a file.
  struct Content {
    var bytes: [UInt8]
    /// Whether it comes from a pipe or a terminal, and so from no folder.
    var isStream: Bool
  }

  /// Reads the file at `path`. If it is too large for the YAML reader, returns one byte more than the limit, so that the reader reports it.
  ///
  /// A file named in another file must be regular. A command's argument may also be a terminal, or a pipe that the shell created: `<(…)`. A FIFO is
  /// rejected, because it may never have a writer.
  static func read(_ path: String, isArgument: Bool) -> Result<Content, Failure> {
    do throws(InputFileError) {
      let file = try InputFile(path, accepts: isArgument ? .given : .regular)
      return .success(
        Content(bytes: try file.prefix(YAMLReader.maximumSize + 1), isStream: file.kind != .regular))
    } catch {
      return .failure(Failure(error, path: path, isArgument: isArgument))
    }
  }
}
