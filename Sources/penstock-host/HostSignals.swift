import CProcess
import Glibc
import RunHistory
import Server
import Synchronization

/// The signals that a host handles: SIGTERM and SIGINT drain it, with less patience each time, and SIGHUP reloads its configuration and pipelines.
enum HostSignals {
  /// A struct, since a bare closure would be wrapped again each time it is read from a `Mutex`.
  private struct Target: Sendable {
    var tell: (@Sendable (PipelineServer.Signal) -> Void)?
  }

  private static let numbers = [SIGTERM, SIGINT, SIGHUP]
  private static let target = Mutex(Target())
  private static let endings = Atomic(0)

  /// Blocks the signals, which disables their default actions. Must be called by the first thread before others exist.
  static func block() {
    var set = set()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A terminal neither stops a host, nor terminates it when it closes.
    for number in [SIGTSTP, SIGTTIN, SIGTTOU, SIGQUIT] { signal(number, SIG_IGN) }
  }

  /// Passes signals to `body` from now on.
  static func connect(_ body: @escaping @Sendable (PipelineServer.Signal) -> Void) {
    target.withLock { $0.tell = body }
  }

  /// Waits for signals for the lifetime of the process. For the first thread.
  static func wait(_ log: HostLog) -> Never {
    var set = set()
    while true {
      var info = siginfo_t()
      let number = sigwaitinfo(&set, &info)
      guard number > 0 else { continue }
      guard let tell = target.withLock({ $0.tell }) else {
        guard number != SIGHUP else { continue }
        HostOutput.lastLine().tell(.info, "stopped", "stopped before it was ready")
        HostOutput.end(0)
      }
      if number == SIGHUP {
        tell(.reload(by: sender(of: info)))
        continue
      }
      // The third signal ends the process immediately.
      if endings.add(1, ordering: .sequentiallyConsistent).newValue > 2 {
        HostOutput.lastLine().tell(
          .warning, "ended", "ended at once, as a third signal asks; the next host resumes the runs")
        HostOutput.end(130, patience: .milliseconds(100))
      }
      tell(.drain(RunCanceller(who: sender(of: info), means: .signal(number == SIGINT ? "SIGINT" : "SIGTERM"))))
    }
  }

  /// Returns the login name of a signal's sender; nil for a signal from the terminal.
  private static func sender(of info: siginfo_t) -> String? {
    guard info.si_code == SI_USER else { return nil }
    let user = info._sifields._kill.si_uid
    return getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "user \(user)"
  }

  private static func set() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
