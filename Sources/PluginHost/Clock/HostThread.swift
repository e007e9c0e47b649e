import CPluginGuard
import CProcess
import Glibc

/// What all threads of the plugin host's own have in common.
enum HostThread {
  /// Names the calling thread, and blocks all signals in it but those that its own mistakes raise: the others are the business of the program's threads.
  static func prepare(_ name: String) {
    penstock_name_thread(name)
    var signals = sigset_t()
    sigfillset(&signals)
    penstock_guard_except_faults(&signals)
    // A thread that libdispatch has begun, whose mask this one inherits, blocks SIGABRT.
    pthread_sigmask(SIG_SETMASK, &signals, nil)
  }
}
