import CProcess
import Glibc

/// The files of one attempt: standard output and standard error, opened by the process itself, and the place where it may put its result.
final class LogFiles {
  let output: CString
  let error: CString
  /// Where the process may write its result; no such file exists when it starts.
  let result: CString
  /// What tells the process so.
  let resultVariable: CString
  /// Whether the result stays in its file.
  var keepsResult = false
  /// For the host's own reading, and for knowing whether anybody else still has the files open.
  let outputDescriptor: Int32
  let errorDescriptor: Int32
  /// The paths relative to the workspace.
  let relativeOutput: String
  let relativeError: String

  fileprivate init(directory: String, relative: String, number: Int) throws(EngineError) {
    let name = String(number)
    output = CString("\(directory)/\(name).out")
    error = CString("\(directory)/\(name).err")
    result = CString("\(directory)/\(name).result")
    resultVariable = CString("PENSTOCK_RESULT=\(directory)/\(name).result")
    relativeOutput = "\(relative)/\(name).out"
    relativeError = "\(relative)/\(name).err"
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
    outputDescriptor = open(output.pointer, flags, 0o600)
    guard outputDescriptor >= 0 else { throw .file(output.string, errno) }
    errorDescriptor = open(error.pointer, flags, 0o600)
    guard errorDescriptor >= 0 else {
      let number = errno
      close(outputDescriptor)
      unlink(output.pointer)
      throw .file(error.string, number)
    }
  }

  /// How many bytes the two files hold.
  func sizes() -> (output: Int64, error: Int64) {
    var status = stat()
    let output = fstat(outputDescriptor, &status) == 0 ? Int64(status.st_size) : 0
    let error = fstat(errorDescriptor, &status) == 0 ? Int64(status.st_size) : 0
    return (output, error)
  }

  deinit {
    close(outputDescriptor)
    close(errorDescriptor)
  }
}

/// Hands out the log files of a run's attempts.
///
/// Each attempt has its own files while it runs. Files that are still empty afterwards, and that no process holds any more, are handed to a later attempt:
/// most attempts print nothing, and creating two files costs more than everything else that the engine does for a step. Files with
/// content belong to their attempt for good; empty ones are removed when the run ends.
final class LogFilePool {
  private let directory: String
  private let relative: String
  private var number = 0
  private var free: [LogFiles] = []
  private var exists = false

  /// A pool for the run whose directory is `relative` to the workspace.
  init(workspace: String, relative: String) {
    directory = "\(workspace)/\(relative)"
    self.relative = relative
  }

  /// The directory of the run, which exists from now on.
  func runDirectory() throws(EngineError) -> String {
    guard !exists else { return directory }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      guard errno == ENOENT else { throw .file(directory, errno) }
      let parent = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw .file(parent, errno) }
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .file(directory, errno) }
      exists = true
      return directory
    }
    exists = true
    return directory
  }

  /// A number that names no file of this run yet.
  func nextNumber() -> Int {
    number += 1
    return number
  }

  /// Two empty files.
  func take() throws(EngineError) -> LogFiles {
    if let files = free.popLast() { return files }
    let directory = try runDirectory()
    while true {
      do {
        return try LogFiles(directory: directory, relative: relative, number: nextNumber())
      } catch .file(let path, let error) {
        // A run that was resumed finds the files of its former host.
        guard error == EEXIST else { throw .file(path, error) }
      }
    }
  }

  /// Gives files back after an attempt; those that nobody wrote to, or still could, serve again.
  func giveBack(_ files: LogFiles, sizes: (output: Int64, error: Int64)) {
    guard sizes.output == 0, sizes.error == 0, !files.keepsResult, penstock_is_sole_holder(files.outputDescriptor) == 1,
      penstock_is_sole_holder(files.errorDescriptor) == 1
    else { return }
    free.append(files)
  }

  /// Removes the files that stayed empty.
  func removeEmpty() {
    for files in free {
      unlink(files.output.pointer)
      unlink(files.error.pointer)
    }
    free = []
  }
}
