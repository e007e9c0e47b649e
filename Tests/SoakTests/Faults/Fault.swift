/// What ``FaultBench`` does to the hosts.
enum Fault: String, CaseIterable {
  /// The host that serves is killed.
  case kill
  /// The host that stands by is killed.
  case killStandby
  /// The disk of the workspace has no room for a while.
  case fullDisk
  /// The host that serves gets no new descriptor for a while.
  case descriptors
  /// The clock is set forward by an hour.
  case clockForward
  /// The clock is set back by an hour, and forward again a moment later.
  case clockBack
  /// The files of all pipelines hold garbage for a while.
  case garbage
  /// The folder of the pipelines is moved away for a while; another one with garbage stands in its place, and then none.
  case folder
  /// A pipeline is invalid for a while.
  case badEdit
  /// A plugin takes its process with it.
  case plugin

  /// A line in the log of the hosts: its event, and one of some parts of its text.
  struct Line {
    var event: String
    var texts: [String]

    init(_ event: String, _ texts: String...) {
      self.event = event
      self.texts = texts
    }
  }

  /// What the log of the hosts says when it begins.
  var line: Line {
    switch self {
    case .kill: Line("starting", "serving")
    case .killStandby: Line("standby", "waiting for the end")
    case .fullDisk: Line("write-failed", "cannot write the history", "cannot write the files of runs")
    case .descriptors: Line("run-waits", "Too many open files")
    case .clockForward: Line("clock-set", "forward by 1h")
    case .clockBack: Line("clock-set", "back by 1h")
    case .garbage, .folder: Line("pipeline", "is invalid")
    case .badEdit: Line("pipeline", "the last good version stays at work")
    case .plugin: Line("plugin", "plugin 'flaky' crashed: SIG", "plugin 'flaky' exited with 7")
    }
  }

  /// What the log of the same host says when it is over.
  var end: Line? {
    switch self {
    case .fullDisk: Line("write-recovered", "the history is written again", "the files of runs are written again")
    case .clockBack: Line("clock-set", "forward by 1h")
    case .folder: Line("pipeline", "'long' is served from")
    case .badEdit: Line("pipeline", "is valid again")
    default: nil
    }
  }
}
