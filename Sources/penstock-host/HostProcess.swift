import CEndOfProcess
import CProcess
import Glibc
import PluginHost

/// This process: what whoever started it has left it in, and what a host needs of it.
enum HostProcess {
  /// Undoes what a host would not work with. To be called before there are other threads.
  static func prepare() {
    while true {
      // The system gives the lowest number that is free, which a closed standard stream has left.
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= STDERR_FILENO else {
        if descriptor >= 0 { close(descriptor) }
        break
      }
    }
    signal(SIGCHLD, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    penstock_let_owner_use_files()
  }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Gets ready for plugins in this process, once.
  static func prepareForPlugins() { _ = preparation }

  private static let preparation: Void = {
    ProcessGuard.begin(status: 3) { message in
      HostOutput.writeLine("penstock: \(message)")
      ProcessGuard.release(status: 3)
      _exit(3)
    }
  }()

  /// Keeps the secrets in this process from the plugins that it runs in processes of their own, once.
  static func hide() { _ = hiding }

  private static let hiding: Void = { _ = penstock_hide_process() }()
}
