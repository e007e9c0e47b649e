import CEndOfProcess
import CProcess
import CWorkerMonitor
import Glibc
import PluginHost
import Server

/// Prepares this process for a host: resets what it inherited, and sets what a host needs.
enum HostProcess {
  /// Resets inherited settings that a host cannot work with. Must be called before other threads exist.
  static func prepare() {
    while true {
      // The system returns the lowest free number, which belongs to a closed standard stream, if there is one.
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
    // A host rarely allocates on more than two threads at once.
    penstock_limit_arenas(2)
    penstock_let_owner_use_files()
    // Each active run needs a few. If the system refuses, fewer are available.
    _ = penstock_raise_descriptors()
  }

  /// The environment that the process was started with.
  static let variables = inheritedVariables()

  /// Removes the variables between the service manager and this process from the environment of processes started from here on. Must be called before other
  /// threads exist.
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

  /// Prepares this process for plugins, once.
  static func prepareForPlugins() { _ = preparation }

  private static let preparation: Void = {
    ProcessGuard.begin(status: 3) { message in
      HostOutput.tell(message)
      HostOutput.finish()
      ProcessGuard.release(status: 3)
      _exit(3)
    }
  }()

  /// Hides the secrets in this process from plugins that run in processes of their own, once.
  static func hide() { _ = hiding }

  private static let hiding: Void = { _ = penstock_hide_process() }()
}
