import Glibc

/// Resets inherited signal settings that the tool cannot work with.
///
/// An ignored SIGINT, SIGTERM or SIGHUP stays ignored: `nohup` and shells rely on that.
enum InheritedSignals {
  /// Resets them. Must be called before other threads exist.
  static func reset() {
    // If it is ignored, the kernel reaps processes itself, and their exit statuses are lost.
    signal(SIGCHLD, SIG_DFL)
    // A blocked SIGTERM would never arrive.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    // The end of a reader is detected as a failed write, which ends the output silently.
    signal(SIGPIPE, SIG_IGN)
    // Exceeding a limit on file sizes is an error like a full disk, and must not kill the process.
    signal(SIGXFSZ, SIG_IGN)
  }
}
