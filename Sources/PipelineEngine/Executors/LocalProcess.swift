import Expressions
import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory

/// A process that is ready to be started.
final class LocalProcess {
  typealias Pipes = (output: MaskingPipe, error: MaskingPipe)

  let request: ProcessRequest
  let files: LogFiles
  let directory: String?
  private let pipes: Pipes?
  /// The growth of the logs noted by the pipes.
  let pumped: PumpedGrowths?

  init(request: ProcessRequest, files: LogFiles, pipes: Pipes?, pumped: PumpedGrowths?, directory: String?) {
    self.pumped = pumped
    self.request = request
    self.files = files
    self.pipes = pipes
    self.directory = directory
  }

  /// Closes the host's copies of descriptors that the process has by now.
  func closePipes() {
    pipes?.output.closeWriteEnd()
    pipes?.error.closeWriteEnd()
  }

  /// Ends the pipes of a process that has ended. Returns why a part of its output was not written to its logs.
  func finishPipes(isolation: isolated (any Actor)? = #isolation) async -> EngineError? {
    guard let pipes else { return nil }
    var failure: EngineError?
    for pipe in [pipes.output, pipes.error] {
      do throws(EngineError) { try await pipe.finish() } catch { failure = failure ?? error }
    }
    return failure
  }

  /// The path of a log that the process was to open and that no longer exists.
  private var missingLog: String? {
    for case .file(let path) in [request.output, request.error] where access(path.pointer, F_OK) != 0 {
      return path.string
    }
    return nil
  }

  /// Returns why it could not be started, or could not execute its program.
  func failure(_ number: Int32) -> any Error {
    let reason = SystemError.text(of: number)
    let executable = request.executable.string
    switch number {
    case ENOENT, ENOTDIR:
      // The new process opens its logs and enters its directory before it searches for its program, and reports only the error number.
      if let missing = missingLog { return EngineError.runFile(missing, ENOENT) }
      var status = stat()
      if let directory, stat(directory, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
        let isThere = lstat(directory, &status) == 0
        return OperationFailure(
          code: "directory-not-found",
          message: "the directory '\(directory)' \(isThere ? "is not a directory" : "does not exist")")
      }
      return OperationFailure(
        code: "command-not-found", message: "'\(executable)' does not exist, or its interpreter does not", exitCode: 127
      )
    case EACCES:
      return OperationFailure(
        code: "command-not-executable", message: "'\(executable)' is not executable: \(reason)", exitCode: 126)
    case E2BIG:
      return OperationFailure(
        code: "arguments-too-long",
        message:
          "the arguments and environment are too long for the system; inject large values on standard input"
      )
    default:
      let engineError = EngineError.systemCall("starting '\(executable)'", number)
      guard !engineError.isExhaustion else { return engineError }
      return OperationFailure(
        code: "command-not-executable", message: "'\(executable)' cannot be executed: \(reason)", exitCode: 126)
    }
  }
}

extension ProcessExit {
  /// The end of the job that the process ran.
  var cause: JobEnd.Cause {
    if let signal { return .signal(signal) }
    return code.map { .exited($0) } ?? .unknown
  }
}
