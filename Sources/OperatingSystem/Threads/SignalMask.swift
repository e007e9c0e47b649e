import Glibc

/// Changes the signals that the calling thread blocks.
package enum SignalMask {
  package static let all: sigset_t = {
    var signals = sigset_t()
    sigfillset(&signals)
    return signals
  }()

  /// All signals except those raised by a thread's own faults.
  package static let allButFaults: sigset_t = {
    var signals = all
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, fault) }
    return signals
  }()

  /// Blocks exactly these signals. Returns those that were blocked before.
  package static func set(_ signals: sigset_t) -> sigset_t { change(SIG_SETMASK, signals) }

  /// Blocks these signals as well.
  package static func block(_ signals: Int32...) { _ = change(SIG_BLOCK, set(of: signals)) }

  /// Unblocks these signals.
  package static func unblock(_ signals: Int32...) { _ = change(SIG_UNBLOCK, set(of: signals)) }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }

  private static func change(_ how: Int32, _ signals: sigset_t) -> sigset_t {
    var (signals, former) = (signals, sigset_t())
    pthread_sigmask(how, &signals, &former)
    return former
  }
}
