import Glibc

/// The signals that the calling thread does not take.
enum ThreadMask {
  /// Blocks SIGXFSZ: what writes beyond a limit on file sizes gets an error, like that of a full disk, and the program lives on, whatever it does with signals.
  static func blockFileSizeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
