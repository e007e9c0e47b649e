import CProcess
import Glibc
import OperatingSystem
import RunHistory

/// A file that one stream of an attempt's process goes to, opened by the process itself.
final class LogFile {
  let path: CString
  /// For the host's own reading, and for knowing whether anybody can still write to the file: so it is open for reading alone.
  let descriptor: Int32
  /// The path relative to the workspace.
  let relative: String
  /// What an index calls it.
  let name: LogName
  /// The number of its watch in the ``LogDirectory``, which may have ended; -1 where it never had one. It stays with a file that serves again.
  var watch: Int32 = -1

  fileprivate init(directory: String, relative: String, name: LogName) throws(EngineError) {
    path = CString("\(directory)/\(name.text)")
    self.relative = "\(relative)/\(name.text)"
    self.name = name
    descriptor = penstock_create_log(path.pointer)
    guard descriptor >= 0 else { throw .runFile(path.string, -descriptor) }
  }

  /// How many bytes it holds.
  var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Whether nobody can write to it any more. Readers (`penstock logs -f`, `tail`, a backup) may come and go.
  fileprivate var isFree: Bool { penstock_has_no_writer(descriptor) == 1 }

  deinit { close(descriptor) }
}

/// Where standard output goes, and with it the place where a process may put its result.
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

  /// Another place for the next attempt: whatever the former one left behind knows its own alone.
  func move(directory: String) {
    repeat {
      useCount += 1
      place = ResultPlace(directory: directory, name: "\(number)-\(useCount)")
    } while !place.isFree
  }
}

/// Where one attempt may put its result, and no other ever.
struct ResultPlace {
  let path: CString
  /// What tells the process so.
  let variable: CString

  init(directory: String, name: String) {
    path = CString("\(directory)/\(name)\(ResultFileName.suffix)")
    variable = CString("PENSTOCK_RESULT=\(directory)/\(name)\(ResultFileName.suffix)")
  }

  /// Whether nothing is there. That the former host of a run may have left something is why this is asked.
  var isFree: Bool {
    var status = stat()
    return lstat(path.pointer, &status) != 0
  }
}

/// The files of one attempt: standard output, standard error, and the place where it may put its result.
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
  /// Where the process may write its result; no such file exists when it starts, but for ``reserveResult()``.
  let result: CString
  /// What tells the process so.
  let resultVariable: CString
  var outputDescriptor: Int32 { outputFile.log.descriptor }
  var errorDescriptor: Int32 { errorFile.descriptor }
  var relativeOutput: String { outputFile.log.relative }
  var relativeError: String { errorFile.relative }

  /// Makes the place of the result a file of the owner's alone, whatever the `umask` of the process will be: what it writes may hold a secret. A time of
  /// modification before all others tells that it has not written anything, which is not the same as an empty result.
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

  /// Whether the process has put something where its result is expected; `status` is that of the place.
  func hasResult(_ status: inout stat) -> Bool {
    guard lstat(result.pointer, &status) == 0 else { return false }
    guard status.st_size == 0, status.st_mtim.tv_sec == 0, status.st_mtim.tv_nsec == 0 else { return true }
    unlink(result.pointer)
    return false
  }

  /// Removes what the process may have put where its result is expected: it is not to become one.
  func discardResult() { unlink(result.pointer) }

  /// How many bytes the two files hold.
  func sizes() -> (output: Int64, error: Int64) { (outputFile.log.size, errorFile.size) }

  /// The files that may serve again: nobody has written anything to them, nor can any more, however long it is since their process has ended.
  fileprivate func free() -> (output: OutputFile?, error: LogFile?) {
    // What a process that was left behind writes, it writes before it lets go: so that is what is asked first.
    let isOutputFree = outputFile.log.isFree && outputFile.log.size == 0
    return (isOutputFree ? outputFile : nil, errorFile.isFree && errorFile.size == 0 ? errorFile : nil)
  }
}

/// Hands out the log files of a run's attempts.
///
/// Each attempt has its own files while it runs. A file that is still empty afterwards, and that no process holds any more, is handed to a later attempt:
/// most attempts print nothing to one of the two, and creating files costs more than everything else that the engine does for a step. Files with
/// content belong to their attempt for good; empty ones are removed when the run ends.
final class LogFilePool {
  private let directory: String
  private let relative: String
  private var number = 0
  private var outputs: [OutputFile] = []
  private var errors: [LogFile] = []
  /// Files that stayed empty and do not serve again.
  private var retired: [CString] = []
  /// What was given back and has not been looked at yet.
  private var ended: [(files: LogFiles, areNamed: Bool)] = []
  private var exists = false
  /// Whether the latest attempt kept its file, so that the next ones may do the same.
  private var isOutputKept = false
  private var isErrorKept = false
  private var isOver = false
  /// When the logs have grown.
  private(set) lazy var index = LogIndexFile { [weak self] in self?.createIndex() }
  /// The names of the results that stay in their files.
  private var keptResults: Set<String> = []

  /// A pool for the run whose directory is `relative` to the workspace.
  init(workspace: String, relative: String) {
    directory = "\(workspace)/\(relative)"
    self.relative = relative
  }

  /// The directory of the run, which exists from now on.
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

  /// Refuses what may have come into the place of a directory, such as a link, which would lead out of the workspace.
  private static func requireNoOther(at path: String, in runs: String) throws(EngineError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
    throw .runPath(path, ENOTDIR, in: runs)
  }

  /// Makes a directory, or finds the one that is there. A link would lead out of the workspace.
  private static func makeDirectory(_ path: String, in runs: String) throws(EngineError) {
    guard mkdir(path, 0o700) != 0 else { return }
    var status = stat()
    guard errno == EEXIST, lstat(path, &status) == 0 else { throw .runPath(path, errno, in: runs) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .runPath(path, ENOTDIR, in: runs) }
  }

  /// A number that names no file of this run yet.
  func nextNumber() -> Int {
    number += 1
    return number
  }

  /// Two empty files.
  func take() throws(EngineError) -> LogFiles {
    // Spare ones are opened by their paths, too.
    _ = try runDirectory()
    let output = try takeOutput()
    do throws(EngineError) {
      return LogFiles(output: output, error: try takeError())
    } catch {
      outputs.append(output)
      throw error
    }
  }

  /// Whether the next attempt will probably have to wait until a file is created for it.
  var runsShort: Bool { isOutputKept && outputs.isEmpty || isErrorKept && errors.isEmpty }

  /// Creates the files that the next attempt will probably need: while a process runs, it costs nobody's time.
  func makeSpares() {
    guard !isOver else { return }
    settle()
    // What cannot be created is missed, with its reason, by the attempt that needs it.
    if isOutputKept, outputs.isEmpty, let file = try? takeOutput() { outputs.append(file) }
    if isErrorKept, errors.isEmpty, let file = try? takeError() { errors.append(file) }
  }

  /// An empty file for standard error alone, which is not given back.
  func takeError() throws(EngineError) -> LogFile {
    if errors.isEmpty { settle() }
    if let file = errors.popLast() { return file }
    // What is made for one attempt has one number.
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
        // A run that was resumed finds the files of its former host; and what was made for one stream alone may have this number.
        guard error == EEXIST else { throw .file(path, error) }
        number = nextNumber()
      }
    }
  }

  /// A new index file. A run that was resumed leaves that of its former host as it is.
  private func createIndex() -> (path: String, descriptor: Int32)? {
    guard !isOver, let directory = try? runDirectory() else { return nil }
    while true {
      let path = "\(directory)/\(nextNumber())\(LogIndexCoding.suffix)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST else { return nil }
    }
  }

  /// Gives files back after an attempt; what nobody wrote to, or still could, serves again. Not so where the history names them already: the record by
  /// which it does not any more may be lost with this host, and what another attempt wrote would seem to be of this one.
  ///
  /// They are looked at with ``settle()``, when others are asked for, or when several wait for it: each keeps two descriptors.
  func giveBack(_ files: LogFiles, areNamed: Bool = false) {
    ended.append((files, areNamed))
    if ended.count >= Self.mostWaiting { settle() }
  }

  private static let mostWaiting = 4

  /// Looks at what was given back, which takes some system calls: a good moment is when the next process has just been started.
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

  /// Gives the descriptors back that no process uses: those of files that are there for later attempts, which are deleted, and that of the index.
  func giveBackSpares() {
    settle()
    for path in outputs.map(\.log.path) + errors.map(\.path) { unlink(path.pointer) }
    outputs = []
    errors = []
    index.rest()
  }

  /// Notes that a recorded result, which may be in another directory, stays in its file.
  func keepResult(_ result: RecordedResult) {
    if case .file(let path, _) = result { keepResult(path) }
  }

  /// Notes that the result at `path` stays in its file.
  func keepResult(_ path: String) {
    keptResults.insert(String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]))
  }

  /// Removes what was left where results are expected and became none: by a process that was left behind, or whose host was killed. It may hold secrets,
  /// which nobody has masked.
  private func removeLateResults() {
    for name in DirectoryNames.of(directory) where ResultFileName.isResult(name) && !keptResults.contains(name) {
      penstock_remove_tree("\(directory)/\(name)")
    }
  }

  /// Removes the files that stayed empty, and late results. To be called when the history names none of them.
  func removeEmpty() {
    index.close()
    isOver = true
    settle()
    for path in outputs.map(\.log.path) + errors.map(\.path) + retired { unlink(path.pointer) }
    if exists {
      removeLateResults()
      // Nobody has put anything there.
      rmdir("\(directory)/\(RunFolder.name)")
    }
    outputs = []
    errors = []
    retired = []
  }
}
