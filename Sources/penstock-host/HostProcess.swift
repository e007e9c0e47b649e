import CEndOfProcess
import CProcess
import CWorkerMonitor
import Glibc
import PluginHost
import Server

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
    hideManager()
    // Little of what a host does happens on more threads than two at once.
    penstock_limit_arenas(2)
    penstock_let_owner_use_files()
    // Each run that goes on needs a few. Where the system refuses, there are fewer.
    _ = penstock_raise_descriptors()
  }

  /// The environment that the process was started with.
  static let variables = inheritedVariables()

  /// Takes what is between the service manager and this process out of the environment, for whatever is started from here on. To be called before there are other
  /// threads.
  static func hideManager() {
    for name in variables.keys where ServiceManager.isOwn(name) { unsetenv(name) }
  }

  private static func inheritedVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }

  static func variable(_ name: String) -> String? { variables[name] }

  /// Gets ready for plugins in this process, once.
  static func prepareForPlugins() { _ = preparation }

  private static let preparation: Void = {
    ProcessGuard.begin(status: 3) { message in
      HostOutput.tell(message)
      HostOutput.finish()
      ProcessGuard.release(status: 3)
      _exit(3)
    }
  }()

  /// Keeps the secrets in this process from the plugins that it runs in processes of their own, once.
  static func hide() { _ = hiding }

  private static let hiding: Void = { _ = penstock_hide_process() }()
}
