import Glibc

/// The signals that can terminate a process, by name.
public enum SignalName {
  private static let numbers: [(name: String, number: Int32)] = [
    ("SIGABRT", SIGABRT), ("SIGALRM", SIGALRM), ("SIGBUS", SIGBUS), ("SIGFPE", SIGFPE), ("SIGHUP", SIGHUP),
    ("SIGILL", SIGILL),
    ("SIGINT", SIGINT), ("SIGIO", SIGIO), ("SIGKILL", SIGKILL), ("SIGPIPE", SIGPIPE), ("SIGPROF", SIGPROF),
    ("SIGPWR", SIGPWR),
    ("SIGQUIT", SIGQUIT), ("SIGSEGV", SIGSEGV), ("SIGSTKFLT", SIGSTKFLT), ("SIGSYS", SIGSYS), ("SIGTERM", SIGTERM),
    ("SIGTRAP", SIGTRAP), ("SIGUSR1", SIGUSR1), ("SIGUSR2", SIGUSR2), ("SIGVTALRM", SIGVTALRM), ("SIGXCPU", SIGXCPU),
    ("SIGXFSZ", SIGXFSZ),
  ]

  /// All names, in alphabetical order.
  static let all = numbers.map(\.name)

  /// Returns the name of a signal, such as `SIGKILL` for 9.
  public static func name(of number: Int32) -> String {
    numbers.first { $0.number == number }?.name ?? "signal \(number)"
  }
}
