import Glibc
import RunHistory

/// What tells that a process belongs to a run.
struct RunTraces: Sendable {
  /// What the environment of each of its processes begins with.
  let mark: [UInt8]
  /// The directory of its log files, without symbolic links, to which the output of its processes goes; nil where there is none.
  let logs: String?
  /// Sessions of which it is known that all their members are the run's. Their leaders have ended.
  let sessions: Set<Int32>
  /// Its recorded processes.
  let recorded: [RecordedProcess]
  /// Since when its processes may have started, in clock ticks since boot; nil where that is not known, or nobody asks for what cannot be decided.
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

  /// What the environment of every process of a run holds.
  static func mark(of run: RunID) -> String { "PENSTOCK_RUN_ID=\(run.text)" }
}
