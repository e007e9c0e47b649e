import OperatingSystem
import PipelineLanguage

/// What to start, and with which descriptors.
struct ProcessRequest {
  /// The source of standard input.
  enum Source {
    /// No input: `/dev/null`.
    case empty
    /// A descriptor of the host, which the host has to close after the process has ended.
    case descriptor(Int32)
  }

  /// The destination of one of the standard streams.
  enum Sink {
    /// An existing file, which the child opens itself for appending.
    case file(CString)
    /// A descriptor of the host, which the host has to close.
    case descriptor(Int32)
  }

  /// The program, as an absolute path or one relative to `directory`.
  var executable: CString
  /// The arguments, beginning with the program's name.
  var arguments: CStringList
  var environment: CStringList
  /// The working directory; nil for the host's own.
  var directory: CString?
  var input: Source
  var output: Sink
  var error: Sink
  /// The time between SIGTERM and SIGKILL.
  var grace: Duration
  /// Where the process records itself before it executes its program; nil if it does not.
  var record: ProcessRecords.Place?
}

/// The processor time of a process, in microseconds: its own, and that of its descendants whose ends were waited for.
struct ProcessorTime: Sendable, Hashable {
  /// In user mode.
  var user: Int64
  /// In the kernel, on its behalf.
  var system: Int64
}

/// How a process ended.
struct ProcessExit: Sendable, Hashable {
  /// The exit code, or nil if a signal ended the process or its status is unknown.
  var code: Int32?
  /// The signal, or nil.
  var signal: Int32?
  /// Whether processes of its group were still running when it ended.
  var leftGroup: Bool = false
  /// The processor time it used; nil if its status is unknown.
  var used: ProcessorTime?

  /// Whether the status was taken by something else: the kernel, if SIGCHLD is ignored, or other code of this process.
  var isUnknown: Bool { code == nil && signal == nil }

  /// Why a status is unknown, and what to do.
  static let unknownReason =
    "its exit status is unknown: something in this process, such as a plugin, ignores SIGCHLD or has reaped it; run that plugin with 'isolation: process'"

  /// `exited with code 3`
  var summary: String {
    if let signal { return "was ended by \(SignalName.name(of: signal))" }
    return code.map { "exited with code \($0)" } ?? "ended, but \(Self.unknownReason)"
  }
}

/// A process could not be started, with the system's error number.
struct ProcessStartError: Error, Hashable {
  var number: Int32
}
