import OperatingSystem

/// Reads pipeline files, within limits.
enum PipelineFile {
  /// Why a file could not be read.
  struct Failure: Error {
    var code: DiagnosticCode
    var message: String

    private init(code: DiagnosticCode, message: String) {
      self.code = code
      self.message = message
    }

    /// The same for a file that messages call `path`, where there is none.
    func calling(_ path: String) -> Failure {
      code == .fileNotFound ? Failure(code: code, message: "there is no file '\(path)'") : self
    }

    /// The failure to read the file that messages call `path`.
    init(_ error: InputFileError, path: String) {
      if error.isMissing {
        code = .fileNotFound
        message = "there is no file '\(path)'"
      } else {
        code = error.isLackOfResources ? .systemLimit : .fileUnreadable
        message = error.description
      }
    }
  }

  /// The bytes of the file at `path`. Of a file that is larger than the YAML reader takes, one byte more than that, so that the
  /// reader says so.
  ///
  /// A nested pipeline must be a regular file; the one that a person names may be a pipe or a terminal as well.
  static func read(_ path: String, requiresRegularFile: Bool) -> Result<[UInt8], Failure> {
    do throws(InputFileError) {
      let file = try InputFile(path, accepts: requiresRegularFile ? .regular : .streams)
      return .success(try file.prefix(YAMLReader.maximumSize + 1))
    } catch {
      return .failure(Failure(error, path: path))
    }
  }
}
