import Glibc

/// What whoever started the process has left it in signals, as far as the tool would not work with it.
///
/// An ignored SIGINT, SIGTERM or SIGHUP stays ignored: `nohup` and shells mean that.
enum InheritedSignals {
  /// Undoes it. To be called before there are other threads.
  static func reset() {
    // Where it is ignored, the kernel reaps processes itself, and nobody learns how they ended.
    signal(SIGCHLD, SIG_DFL)
    // A blocked SIGTERM would never arrive.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    // A reader that goes away is seen as a failed write, which ends the output quietly.
    signal(SIGPIPE, SIG_IGN)
    // A limit on file sizes is an error like a full disk, not a reason to die.
    signal(SIGXFSZ, SIG_IGN)
  }
}
