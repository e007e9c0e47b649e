import CProcess

/// The end of a child host, with its reason.
struct ChildEnd: Hashable, Sendable {
  /// The reason why the host ended the child.
  enum Reason: Hashable, Sendable {
    /// It sent an invalid message.
    case garbage(String)
    /// It closed its end of the connection but kept running.
    case closedConnection
    /// It did not answer for this long.
    case unresponsive(Duration)
    /// This call has not returned for this long, on a thread that serves the plugin.
    case hanging(String, Duration)
    /// It did not read the answers to its questions; this many bytes are waiting.
    case notReading(Int)
    /// It took more memory than this limit in bytes.
    case tooLarge(Int64)
    /// It was no longer needed.
    case unneeded
  }

  /// The exit code; nil if a signal ended it, or if its status is unknown because other code has reaped it.
  var exitCode: Int32?
  /// The signal, or 0.
  var signal: Int32
  /// Why the host ended it; nil if it ended by itself.
  var reason: Reason?
  /// The last line that it printed.
  var lastLine: String?

  /// `plugin-unresponsive`, or `plugin-crashed`.
  var code: PluginError.Code {
    switch reason {
    case .unresponsive, .hanging, .notReading: .unresponsive
    default: .crashed
    }
  }

  /// A short description: `crashed: SIGSEGV`.
  var summary: String {
    switch reason {
    case .garbage(let what): "crashed: it sent \(what)"
    case .closedConnection: "crashed: it closed its connection to the host"
    case .unresponsive(let time): "did not answer for more than \(time.brief)"
    case .hanging(let call, let time): "hangs: \(call) did not return for more than \(time.brief)"
    case .notReading(let bytes): "does not read its input: \(bytes >> 20) MiB are waiting"
    case .tooLarge(let limit): "was killed: it exceeded its memory limit of \(limit >> 20) MiB"
    case .unneeded: "was ended"
    case nil:
      if let exitCode {
        "exited with \(exitCode)"
      } else if signal == 0 {
        "ended with an unknown status: something in this process ignores SIGCHLD or has reaped it"
      } else {
        "crashed: \(Self.name(ofSignal: signal))"
      }
    }
  }

  /// Returns, for example, `plugin 'notify' exited with 3 while it was loaded; the last that it printed: …`.
  func message(plugin: String, while what: String) -> String {
    let end = "plugin '\(plugin)' \(summary)\(what.isEmpty ? "" : " while \(what)")"
    return lastLine.map { "\(end); its last output: \($0)" } ?? end
  }

  /// Returns the name of a signal: `SIGSEGV`.
  static func name(ofSignal number: Int32) -> String {
    penstock_signal_name(number).map { "SIG" + String(cString: $0) } ?? "signal \(number)"
  }
}
