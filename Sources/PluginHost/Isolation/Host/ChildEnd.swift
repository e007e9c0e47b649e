import CProcess

/// How a child host ended, and why.
struct ChildEnd: Hashable, Sendable {
  /// Why the host ended it.
  enum Reason: Hashable, Sendable {
    /// It sent what is no message.
    case garbage(String)
    /// It closed its end of the connection and went on.
    case closedConnection
    /// It did not answer for so long.
    case unresponsive(Duration)
    /// This call has not returned for so long, on a thread that serves the plugin.
    case hanging(String, Duration)
    /// It asked and asked, and read none of the answers.
    case notReading(Int)
    /// It took more bytes of memory than this.
    case tooLarge(Int64)
    /// It was not needed any more.
    case unneeded
  }

  /// The exit code; nil where a signal ended it, or where neither is known because somebody else has reaped it.
  var exitCode: Int32?
  /// The signal, or 0.
  var signal: Int32
  /// Why the host ended it; nil where it ended by itself.
  var reason: Reason?
  /// The last that it printed.
  var lastLine: String?

  /// `plugin-unresponsive`, or `plugin-crashed`.
  var code: PluginError.Code {
    switch reason {
    case .unresponsive, .hanging, .notReading: .unresponsive
    default: .crashed
    }
  }

  /// In a few words: `crashed: SIGSEGV`.
  var summary: String {
    switch reason {
    case .garbage(let what): "crashed: it sent \(what)"
    case .closedConnection: "crashed: it closed its connection to the host"
    case .unresponsive(let time): "did not answer for more than \(time.brief)"
    case .hanging(let call, let time): "hangs: \(call) did not return for more than \(time.brief)"
    case .notReading(let bytes): "does not read what it is sent: \(bytes >> 20) MiB wait for it"
    case .tooLarge(let limit): "was ended: it took more memory than its limit of \(limit >> 20) MiB"
    case .unneeded: "was ended"
    case nil:
      if let exitCode {
        "exited with \(exitCode)"
      } else if signal == 0 {
        "ended with a status that is unknown: something in this process ignores SIGCHLD or has reaped it"
      } else {
        "crashed: \(Self.name(ofSignal: signal))"
      }
    }
  }

  /// `plugin 'notify' exited with 3 while it was loaded; the last that it printed: …`
  func message(plugin: String, while what: String) -> String {
    let end = "plugin '\(plugin)' \(summary)\(what.isEmpty ? "" : " while \(what)")"
    return lastLine.map { "\(end); the last that it printed: \($0)" } ?? end
  }

  /// `SIGSEGV`
  static func name(ofSignal number: Int32) -> String {
    penstock_signal_name(number).map { "SIG" + String(cString: $0) } ?? "signal \(number)"
  }
}
