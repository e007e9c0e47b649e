import Glibc

/// The terminal that a shell shares between its jobs.
enum ForegroundTerminal {
  /// Returns whether this process is currently in the foreground of the terminal behind `descriptor`.
  static func isOurs(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // A terminal that is not our controlling terminal is not shared.
    return group <= 0 || group == getpgrp()
  }
}
