import Glibc
import RunHistory

/// The evidence that a process belongs to a run.
struct RunTraces: Sendable {
  /// The beginning of the environment of each of its processes.
  let mark: [UInt8]
  /// The directory of its log files, without symbolic links, to which the output of its processes goes; nil if there is none.
  let logs: String?
  /// Sessions all of whose members are known to be the run's. Their leaders have ended.
  let sessions: Set<Int32>
  /// Its recorded processes.
  let recorded: [RecordedProcess]
  /// The earliest start time of its processes, in clock ticks since boot; nil if that is unknown, or if undecided processes are not needed.
  var begin: Int64?

  init(
    of run: RunID, workspace: String, sessions: Set<Int32> = [], recorded: [RecordedProcess] = [], begin: Int64? = nil
  ) {
    mark = Array(Self.mark(of: run).utf8)
    logs = Self.resolved("\(workspace)/runs/\(run.text)")
    self.sessions = sessions
    self.recorded = recorded
    self.begin = begin
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The variable in the environment of every process of a run.
  static func mark(of run: RunID) -> String { "PENSTOCK_RUN_ID=\(run.text)" }
}
