import Glibc
import OperatingSystem
import RunHistory

/// Why the engine itself, rather than an operation, could not continue. A run that ends so has exit code 3.
public enum EngineError: Error, Sendable, Hashable {
  /// A system call failed: its name and the error number.
  case systemCall(String, Int32)
  /// A file or directory could not be created or written: its path and the error number.
  case file(String, Int32)
  /// Secrets could not be read: all of them, each with the reason.
  case secrets([UnreadableSecret])
  /// The history could not be read or written: the workspace's message.
  case history(String)
  /// Another process has claimed the run from this one.
  case runTaken(RunID)
  /// The history could not be written, and the records of the run no longer fit in memory: it was interrupted.
  case unrecorded(RunID)
  /// Everything in the run was waiting when its host was requested to end: it was interrupted, for the next host to resume.
  case left(RunID)
  /// Processes that the former host of a run left running cannot be terminated: their description, for a sentence. Their work would be done twice.
  case processesRemain(String, of: RunID)
  /// For lack of descriptors or memory, it is unknown whether the former host of the run left processes running.
  case processesUnknown(of: RunID)
  /// The run may have jobs at these executors, which this host does not have and so cannot ask.
  case jobsElsewhere([String], of: RunID)
  /// The engine was about to make a transition of a run or an operation, described here, that is not allowed: a bug.
  case impossibleTransition(String)

  /// A system call failed.
  init(_ error: SystemError) { self = .systemCall("\(error.call)", error.number) }

  /// Returns the error for a file of a run, `…/runs/ID/NAME`, that could not be created. If `runs` is not a directory (any more), no operation can
  /// keep its files.
  static func runFile(_ path: String, _ number: Int32) -> EngineError {
    runPath(path, number, in: path.split(separator: "/").dropLast(2).map { "/\($0)" }.joined())
  }

  /// Returns the error for anything in the directory `runs` of the workspace: see ``runFile(_:_:)``.
  static func runPath(_ path: String, _ number: Int32, in runs: String) -> EngineError {
    var status = stat()
    let isThere = stat(runs, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard number == ENOENT || number == ENOTDIR, !isThere else { return .file(path, number) }
    return .history(
      "cannot write '\(path)': \(SystemError.text(of: number)); do not move the workspace or its directory 'runs' while a run uses them"
    )
  }

  /// Whether a limit of the computer is reached, so that other operations would fail for the same reason and the run cannot continue.
  var isExhaustion: Bool {
    switch self {
    case .systemCall(_, let number), .file(_, let number):
      [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOSPC, EDQUOT, EFBIG, EROFS, EIO].contains(number)
    case .history, .runTaken, .unrecorded, .left: true
    case .secrets, .processesRemain, .processesUnknown, .jobsElsewhere, .impossibleTransition: false
    }
  }

  /// Whether the disk is full, which may pass.
  var isOutOfSpace: Bool {
    if case .file(_, let number) = self { number == ENOSPC || number == EDQUOT } else { false }
  }

  /// The system's error number; nil if it is not a system error.
  var number: Int32? {
    switch self {
    case .systemCall(_, let number), .file(_, let number): number
    default: nil
    }
  }

  /// Whether the directory of a run, or `runs` around it, cannot be written, which is not the run's fault: for example because another file system is
  /// mounted there, it is a link, or it is not accessible. `workspace` is where they should be.
  func concernsRuns(of workspace: String) -> Bool {
    switch self {
    case .history: true
    case .file(let path, let number):
      path.hasPrefix("\(RunsDirectory.path(in: workspace))/")
        && [EROFS, EACCES, EPERM, ENOTDIR, ELOOP, EIO, ESTALE, ENOTCONN, EISDIR].contains(number)
    default: false
    }
  }

  /// Whether the process currently lacks a descriptor, a thread or memory for it, which may be released.
  var isShortage: Bool { number.map { [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains($0) } ?? false }

  /// A stable, kebab-case identifier.
  public var code: String {
    switch self {
    case .systemCall: "system-call"
    case .file: "file"
    case .secrets: "secret-unavailable"
    case .history: "history"
    case .runTaken: "run-taken"
    case .unrecorded: "run-unrecorded"
    case .left: "run-left"
    case .processesRemain: "processes-remain"
    case .processesUnknown: "processes-unknown"
    case .jobsElsewhere: "jobs-elsewhere"
    case .impossibleTransition: "engine-failed"
    }
  }
}

/// A secret that could not be read.
public struct UnreadableSecret: Sendable, Hashable {
  /// Its name in the pipeline.
  public let name: String
  /// Why it could not be read.
  public let reason: String

  /// Creates the report that the secret `name` could not be read for `reason`.
  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

extension EngineError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .systemCall(let name, let number):
      return "\(name) failed: \(SystemError.text(of: number))\(Self.hint(number))"
    case .file(let path, let number):
      return "cannot write '\(path)': \(SystemError.text(of: number))\(Self.hint(number))"
    case .secrets(let unreadable):
      if let only = unreadable.first, unreadable.count == 1 {
        return "the secret '\(only.name)' cannot be read: \(only.reason)"
      }
      let list = unreadable.map { "'\($0.name)': \($0.reason)" }.joined(separator: "; ")
      return "\(unreadable.count) secrets cannot be read: \(list)"
    case .history(let reason):
      return reason
    case .runTaken(let run):
      return
        "another process took over run \(run.text) because it could not see that this one was alive; this process stopped and records nothing more; see `penstock history show \(run.text)`, and run `penstock resume \(run.text)` if no process is running it"
    case .unrecorded(let run):
      return
        "run \(run.text) was interrupted: the history cannot be written, and the memory for waiting records is full; free some space, then run `penstock resume \(run.text)` to continue from its recorded results"
    case .left(let run):
      return
        "run \(run.text) was interrupted while it waited because its host was shutting down; the next host of the workspace resumes it, or run `penstock resume \(run.text)`"
    case .processesRemain(let processes, let run):
      return "cannot end \(processes), which the former host of run \(run.text) left running; end it first"
    case .processesUnknown(let run):
      return
        "cannot search for processes that the former host of run \(run.text) may have left running: out of descriptors or memory; raise the limit on open files (`ulimit -n`) or free some memory, and try again"
    case .jobsElsewhere(let executors, let run):
      let names = executors.map { "'\($0.escapedForMessage)'" }.joined(separator: " and ")
      return
        "run \(run.text) may have jobs on the executor \(names), which this host does not have; resume the run on a host that has it, or run `penstock retry \(run.text)` after the jobs have ended"
    case .impossibleTransition(let transition):
      return
        "the engine attempted an invalid change of state: \(transition); this is a bug in Penstock: please report it"
    }
  }

  /// The description for what is retried automatically.
  var descriptionOfWait: String {
    let text = description
    return text.hasSuffix(Self.retryHint) ? String(text.dropLast(Self.retryHint.count)) : text
  }

  private static let retryHint = ", then run `penstock retry` to continue from the recorded results"

  private static func hint(_ number: Int32) -> String {
    switch number {
    case EMFILE, ENFILE: "; raise the limit on open files (`ulimit -n`) or lower `concurrency`"
    case EFBIG: "; raise the limit on the size of files (`ulimit -f`)\(retryHint)"
    case ENOSPC, EDQUOT: "; free some space\(retryHint)"
    default: ""
    }
  }
}

/// Another run of a pipeline with `overlap: skip` is running.
struct OverlapSkip: Error {
  let other: RunID
}
