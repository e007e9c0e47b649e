/// What ``FaultBench`` does to the hosts.
enum Fault: String, CaseIterable {
  /// Kills the serving host.
  case kill
  /// Kills the standby host.
  case killStandby
  /// Fills the workspace's disk for a while.
  case fullDisk
  /// Denies the serving host new descriptors for a while.
  case descriptors
  /// Sets the clock forward by an hour.
  case clockForward
  /// Sets the clock back by an hour, and forward again a moment later.
  case clockBack
  /// Replaces the files of all pipelines with garbage for a while.
  case garbage
  /// Moves the pipelines' directory away for a while; another one with garbage takes its place, and then none.
  case folder
  /// Makes a pipeline invalid for a while.
  case badEdit
  /// Crashes a plugin's process.
  case plugin

  /// A line in the hosts' log: its event, and one of several parts of its text.
  struct Line {
    var event: String
    var texts: [String]

    init(_ event: String, _ texts: String...) {
      self.event = event
      self.texts = texts
    }
  }

  /// The log line that reports the start of the fault.
  var line: Line {
    switch self {
    case .kill: Line("starting", "serving")
    case .killStandby: Line("standby", "waiting until")
    case .fullDisk: Line("write-failed", "able to write the history", "able to write the files of runs")
    case .descriptors: Line("run-waits", "Too many open files")
    case .clockForward: Line("clock-set", "forward by 1h")
    case .clockBack: Line("clock-set", "back by 1h")
    case .garbage, .folder: Line("pipeline", "is invalid")
    case .badEdit: Line("pipeline", "its last good version stays in effect")
    case .plugin: Line("plugin", "plugin 'flaky' crashed: SIG", "plugin 'flaky' exited with 7")
    }
  }

  /// The log line by which the same host reports the end of the fault.
  var end: Line? {
    switch self {
    case .fullDisk:
      Line("write-recovered", "the history can be written again", "the files of runs can be written again")
    case .clockBack: Line("clock-set", "forward by 1h")
    case .folder: Line("pipeline", "'long' is served from")
    case .badEdit: Line("pipeline", "is valid again")
    default: nil
    }
  }
}
