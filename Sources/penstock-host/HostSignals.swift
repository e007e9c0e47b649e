import CProcess
import Glibc
import RunHistory
import Server
import Synchronization

/// The signals that a host answers to: SIGTERM and SIGINT drain it, with less patience each time, SIGHUP has it read its configuration and its pipelines anew.
enum HostSignals {
  /// A struct, since a bare closure is wrapped in another one each time that it is read out of a `Mutex`.
  private struct Target: Sendable {
    var tell: (@Sendable (PipelineServer.Signal) -> Void)?
  }

  private static let numbers = [SIGTERM, SIGINT, SIGHUP]
  private static let target = Mutex(Target())
  private static let endings = Atomic(0)

  /// Keeps the signals from doing what they do by default. To be called by the first thread before there are others.
  static func block() {
    var set = set()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A terminal neither stops a host nor ends it when it is closed.
    for number in [SIGTSTP, SIGTTIN, SIGTTOU, SIGQUIT] { signal(number, SIG_IGN) }
  }

  /// Has signals told from now on.
  static func connect(_ body: @escaping @Sendable (PipelineServer.Signal) -> Void) {
    target.withLock { $0.tell = body }
  }

  /// Waits for signals for as long as the process lives. For the first thread.
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
      // The third time, nothing is waited for any more.
      if endings.add(1, ordering: .sequentiallyConsistent).newValue > 2 {
        HostOutput.lastLine().tell(
          .warning, "ended", "ended at once, as a third signal asks; the next host resumes the runs")
        HostOutput.end(130, patience: .milliseconds(100))
      }
      tell(.drain(RunCanceller(who: sender(of: info), means: .signal(number == SIGINT ? "SIGINT" : "SIGTERM"))))
    }
  }

  /// The login name of who has sent a signal; nil for one of the terminal.
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
