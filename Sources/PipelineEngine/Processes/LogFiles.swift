import CProcess
import Glibc
import OperatingSystem
import RunHistory

/// A file for one stream of an attempt's process, which opens it itself.
final class LogFile {
  let path: CString
  /// Open read-only: for the host's own reading, and to determine whether another process can still write to the file.
  let descriptor: Int32
  /// The path relative to the workspace.
  let relative: String
  /// The name used in an index.
  let name: LogName
  /// The number of its watch in the ``LogDirectory``, which may have ended; -1 if it never had one. A file that is reused keeps it.
  var watch: Int32 = -1

  fileprivate init(directory: String, relative: String, name: LogName) throws(EngineError) {
    path = CString("\(directory)/\(name.text)")
    self.relative = "\(relative)/\(name.text)"
    self.name = name
    descriptor = penstock_create_log(path.pointer)
    guard descriptor >= 0 else { throw .runFile(path.string, -descriptor) }
  }

  /// The size of the file in bytes.
  var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Whether no process can write to it any more. Readers (`penstock logs -f`, `tail`, a backup) may come and go.
  fileprivate var isFree: Bool { penstock_has_no_writer(descriptor) == 1 }

  deinit { close(descriptor) }
}

/// The file for standard output, together with the place where a process may write its result.
private final class OutputFile {
  let log: LogFile
  private(set) var place: ResultPlace
  private let number: Int
  private var useCount = 1

  init(directory: String, relative: String, number: Int) throws(EngineError) {
    self.number = number
    place = ResultPlace(directory: directory, name: "\(number)")
    guard place.isFree else { throw .file(place.path.string, EEXIST) }
    log = try LogFile(directory: directory, relative: relative, name: LogName(number: number, isError: false))
  }

  /// Chooses another place for the next attempt: processes left behind by the earlier attempt know only its own.
  func move(directory: String) {
    repeat {
      useCount += 1
      place = ResultPlace(directory: directory, name: "\(number)-\(useCount)")
    } while !place.isFree
  }
}

/// The place where one particular attempt may write its result.
struct ResultPlace {
  let path: CString
  /// The environment variable that contains it.
  let variable: CString

  init(directory: String, name: String) {
    path = CString("\(directory)/\(name)\(ResultFileName.suffix)")
    variable = CString("PENSTOCK_RESULT=\(directory)/\(name)\(ResultFileName.suffix)")
  }

  /// Whether nothing exists there. The former host of the run may have left something.
  var isFree: Bool {
    var status = stat()
    return lstat(path.pointer, &status) != 0
  }
}

/// The files of one attempt: standard output, standard error, and the place for its result.
final class LogFiles {
  private let outputFile: OutputFile
  let errorFile: LogFile

  fileprivate init(output: OutputFile, error: LogFile) {
    outputFile = output
    errorFile = error
    result = output.place.path
    resultVariable = output.place.variable
  }

  var outputLog: LogFile { outputFile.log }
  var output: CString { outputFile.log.path }
  var error: CString { errorFile.path }
  /// Where the process may write its result. No such file exists when it starts, except after ``reserveResult()``.
  let result: CString
  /// The environment variable that contains it.
  let resultVariable: CString
  var outputDescriptor: Int32 { outputFile.log.descriptor }
  var errorDescriptor: Int32 { errorFile.descriptor }
  var relativeOutput: String { outputFile.log.relative }
  var relativeError: String { errorFile.relative }

  /// Creates the result as a file that only its owner can access, whatever the `umask` of the process will be, because it may contain a secret. A
  /// modification time of zero indicates that the process has not written anything, which differs from an empty result.
  func reserveResult() throws(EngineError) {
    let descriptor = open(result.pointer, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .runFile(result.string, errno) }
    defer { close(descriptor) }
    let never = [timespec(), timespec()]
    guard fchmod(descriptor, 0o600) == 0, futimens(descriptor, never) == 0 else {
      let error = errno
      unlink(result.pointer)
      throw .file(result.string, error)
    }
  }

  /// Whether the process has written something to the place of its result, whose status is returned in `status`.
  func hasResult(_ status: inout stat) -> Bool {
    guard lstat(result.pointer, &status) == 0 else { return false }
    guard status.st_size == 0, status.st_mtim.tv_sec == 0, status.st_mtim.tv_nsec == 0 else { return true }
    unlink(result.pointer)
    return false
  }

  /// Removes what the process may have written to the place of its result, so that it does not become one.
  func discardResult() { unlink(result.pointer) }

  /// Returns the sizes of the two files in bytes.
  func sizes() -> (output: Int64, error: Int64) { (outputFile.log.size, errorFile.size) }

  /// Returns the files that may be reused: nothing was written to them, and no process can write to them any more, however long ago the attempt's
  /// process ended.
  fileprivate func free() -> (output: OutputFile?, error: LogFile?) {
    // A process left behind writes before it closes the file, so openness is checked before the size.
    let isOutputFree = outputFile.log.isFree && outputFile.log.size == 0
    return (isOutputFree ? outputFile : nil, errorFile.isFree && errorFile.size == 0 ? errorFile : nil)
  }
}

/// Provides the log files of a run's attempts.
///
/// Each attempt has its own files while it runs. A file that is still empty afterwards, and that no process has open any more, is reused by a later
/// attempt: most attempts print nothing to one of the two, and creating files costs more than everything else that the engine does for a step. Files
/// with content belong to their attempt permanently; empty ones are removed when the run ends.
final class LogFilePool {
  private let directory: String
  private let relative: String
  private var number = 0
  private var outputs: [OutputFile] = []
  private var errors: [LogFile] = []
  /// Files that stayed empty and are not reused.
  private var retired: [CString] = []
  /// Files that were returned and have not been checked yet.
  private var ended: [(files: LogFiles, areNamed: Bool)] = []
  private var exists = false
  /// Whether the latest attempt kept its file, in which case the next ones may too.
  private var isOutputKept = false
  private var isErrorKept = false
  private var isOver = false
  /// The index of when the logs have grown.
  private(set) lazy var index = LogIndexFile { [weak self] in self?.createIndex() }
  /// The names of the results that are kept in their files.
  private var keptResults: Set<String> = []

  /// Creates a pool for the run whose directory is `relative` to the workspace.
  init(workspace: String, relative: String) {
    directory = "\(workspace)/\(relative)"
    self.relative = relative
  }

  /// Returns the directory of the run, which exists afterwards.
  func runDirectory() throws(EngineError) -> String {
    let parent = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
    try Self.requireNoOther(at: parent, in: parent)
    guard !exists else {
      try Self.requireNoOther(at: directory, in: parent)
      return directory
    }
    if mkdir(directory, 0o700) != 0 {
      if errno == ENOENT { try Self.makeDirectory(parent, in: parent) }
      try Self.makeDirectory(directory, in: parent)
    }
    mkdir("\(directory)/\(RunFolder.name)", 0o700)
    exists = true
    return directory
  }

  /// Throws if a directory has been replaced by something else, such as a link, which would lead out of the workspace.
  private static func requireNoOther(at path: String, in runs: String) throws(EngineError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
    throw .runPath(path, ENOTDIR, in: runs)
  }

  /// Creates a directory, or accepts an existing one. A link would lead out of the workspace.
  private static func makeDirectory(_ path: String, in runs: String) throws(EngineError) {
    guard mkdir(path, 0o700) != 0 else { return }
    var status = stat()
    guard errno == EEXIST, lstat(path, &status) == 0 else { throw .runPath(path, errno, in: runs) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .runPath(path, ENOTDIR, in: runs) }
  }

  /// Returns a number that no file of this run uses yet.
  func nextNumber() -> Int {
    number += 1
    return number
  }

  /// Returns two empty files.
  func take() throws(EngineError) -> LogFiles {
    // Spare files are opened by their paths, too.
    _ = try runDirectory()
    let output = try takeOutput()
    do throws(EngineError) {
      return LogFiles(output: output, error: try takeError())
    } catch {
      outputs.append(output)
      throw error
    }
  }

  /// Whether the next attempt will probably have to wait for a file to be created.
  var runsShort: Bool { isOutputKept && outputs.isEmpty || isErrorKept && errors.isEmpty }

  /// Creates the files that the next attempt will probably need. While a process runs, this delays nothing.
  func makeSpares() {
    guard !isOver else { return }
    settle()
    // If a file cannot be created, the attempt that needs it reports the reason.
    if isOutputKept, outputs.isEmpty, let file = try? takeOutput() { outputs.append(file) }
    if isErrorKept, errors.isEmpty, let file = try? takeError() { errors.append(file) }
  }

  /// Returns an empty file for standard error only, which is not returned to the pool.
  func takeError() throws(EngineError) -> LogFile {
    if errors.isEmpty { settle() }
    if let file = errors.popLast() { return file }
    // The files created for one attempt share a number.
    return try create(from: number) { directory, number throws(EngineError) in
      try LogFile(directory: directory, relative: relative, name: LogName(number: number, isError: true))
    }
  }

  private func takeOutput() throws(EngineError) -> OutputFile {
    if outputs.isEmpty { settle() }
    if let file = outputs.popLast() { return file }
    return try create(from: nextNumber()) { directory, number throws(EngineError) in
      try OutputFile(directory: directory, relative: relative, number: number)
    }
  }

  private func create<File>(
    from first: Int, _ make: (String, Int) throws(EngineError) -> File
  ) throws(EngineError) -> File {
    let directory = try runDirectory()
    var number = max(first, 1)
    while true {
      do {
        return try make(directory, number)
      } catch .file(let path, let error) {
        // A resumed run finds the files of its former host, and a file created for one stream only may have this number.
        guard error == EEXIST else { throw .file(path, error) }
        number = nextNumber()
      }
    }
  }

  /// Creates a new index file. A resumed run does not modify that of its former host.
  private func createIndex() -> (path: String, descriptor: Int32)? {
    guard !isOver, let directory = try? runDirectory() else { return nil }
    while true {
      let path = "\(directory)/\(nextNumber())\(LogIndexCoding.suffix)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST else { return nil }
    }
  }

  /// Returns files to the pool after an attempt. Files that were not written to, and no longer can be, are reused, unless the history already refers
  /// to them: if the record that removes the reference is lost with this host, another attempt's output would appear to be this one's.
  ///
  /// They are checked by ``settle()``, when others are needed, or when several are waiting, because each keeps two descriptors.
  func giveBack(_ files: LogFiles, areNamed: Bool = false) {
    ended.append((files, areNamed))
    if ended.count >= Self.mostWaiting { settle() }
  }

  private static let mostWaiting = 4

  /// Checks the files that were returned, which takes some system calls. A good moment is just after the next process has been started.
  func settle() {
    for (files, areNamed) in ended {
      let free = files.free()
      (isOutputKept, isErrorKept) = (areNamed || free.output == nil, areNamed || free.error == nil)
      if areNamed {
        retired += [free.output?.log.path, free.error?.path].compactMap { $0 }
        continue
      }
      if let output = free.output {
        output.move(directory: directory)
        outputs.append(output)
      }
      if let error = free.error { errors.append(error) }
    }
    ended.removeAll(keepingCapacity: true)
  }

  /// Releases the descriptors that no process uses: those of spare files, which are deleted, and that of the index.
  func giveBackSpares() {
    settle()
    for path in outputs.map(\.log.path) + errors.map(\.path) { unlink(path.pointer) }
    outputs = []
    errors = []
    index.rest()
  }

  /// Notes that a recorded result, which may be in another directory, is kept in its file.
  func keepResult(_ result: RecordedResult) {
    if case .file(let path, _) = result { keepResult(path) }
  }

  /// Notes that the result at `path` is kept in its file.
  func keepResult(_ path: String) {
    keptResults.insert(String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]))
  }

  /// Removes files written to places of results that did not become results: by a process that was left behind, or whose host was killed. They may
  /// contain secrets that have not been masked.
  private func removeLateResults() {
    for name in DirectoryNames.of(directory) where ResultFileName.isResult(name) && !keptResults.contains(name) {
      penstock_remove_tree("\(directory)/\(name)")
    }
  }

  /// Removes the files that stayed empty, and late results. Must be called when the history refers to none of them.
  func removeEmpty() {
    index.close()
    isOver = true
    settle()
    for path in outputs.map(\.log.path) + errors.map(\.path) + retired { unlink(path.pointer) }
    if exists {
      removeLateResults()
      // Succeeds only if nothing was written there.
      rmdir("\(directory)/\(RunFolder.name)")
    }
    outputs = []
    errors = []
    retired = []
  }
}
