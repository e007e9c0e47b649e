import OperatingSystem

/// Reads pipeline files, within limits.
enum PipelineFile {
  /// Why a file could not be read.
  struct Failure: Error {
    var code: DiagnosticCode
    var message: String
    /// What to do instead.
    var fix: String?

    private init(code: DiagnosticCode, message: String) {
      self.code = code
      self.message = message
    }

    /// The same for a file that messages call `path`, where there is none.
    func calling(_ path: String) -> Failure {
      code == .fileNotFound ? Failure(code: code, message: "there is no file '\(path)'") : self
    }

    /// The failure to read the file that messages call `path`, and that a person has named where `isArgument`.
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

  /// What was read.
  struct Content {
    var bytes: [UInt8]
    /// Whether it comes from a pipe or a terminal, which is no place in a folder.
    var isStream: Bool
  }

  /// What the file at `path` says. Of a file that is larger than the YAML reader takes, one byte more than that, so that the
  /// reader says so.
  ///
  /// What another file names must be a regular file. What is an argument of a command may also be a terminal, or a pipe that the shell has made for it: `<(…)`. A
  /// FIFO is refused, as nobody may ever write to it.
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
