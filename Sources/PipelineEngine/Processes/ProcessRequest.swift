import OperatingSystem
import PipelineLanguage

/// What to start, and with which descriptors.
struct ProcessRequest {
  /// Where standard input comes from.
  enum Source {
    /// From nowhere: `/dev/null`.
    case empty
    /// A descriptor of the host, which stays the host's to close, after the process has ended.
    case descriptor(Int32)
  }

  /// Where one of the standard streams goes to.
  enum Sink {
    /// An existing file, which the child opens itself for appending.
    case file(CString)
    /// A descriptor of the host, which stays the host's to close.
    case descriptor(Int32)
  }

  /// The program, as an absolute path or one relative to `directory`.
  var executable: CString
  /// The arguments, the program's name first.
  var arguments: CStringList
  var environment: CStringList
  /// Where the process starts; nil for the host's own directory.
  var directory: CString?
  var input: Source
  var output: Sink
  var error: Sink
  /// How long after SIGTERM comes SIGKILL.
  var grace: Duration
  /// Where the process records itself before it becomes its program; nil for nowhere.
  var record: ProcessRecords.Place?
}

/// What a process used of the processors, in microseconds: its own time, and that of those it started, directly or not, whose ends were waited for.
struct ProcessorTime: Sendable, Hashable {
  /// In programs.
  var user: Int64
  /// In the kernel, for them.
  var system: Int64
}

/// How a process ended.
struct ProcessExit: Sendable, Hashable {
  /// The exit code, or nil when a signal ended the process or its status is unknown.
  var code: Int32?
  /// The signal, or nil.
  var signal: Int32?
  /// Whether processes of its group lived on when it ended.
  var leftGroup: Bool = false
  /// What it used of the processors; nil where its status is unknown.
  var used: ProcessorTime?

  /// Whether somebody else has taken the status: the kernel, where SIGCHLD is ignored, or other code of this process.
  var isUnknown: Bool { code == nil && signal == nil }

  /// Why a status is unknown, and what to do.
  static let unknownReason =
    "its exit status is unknown: something in this process ignores SIGCHLD or has reaped it, such as a plugin; let that plugin run with 'isolation: process'"

  /// `exited with code 3`
  var summary: String {
    if let signal { return "was ended by \(SignalName.name(of: signal))" }
    return code.map { "exited with code \($0)" } ?? "ended, but \(Self.unknownReason)"
  }
}

/// A process could not be started: the error number of the system.
struct ProcessStartError: Error, Hashable {
  var number: Int32
}
