import Glibc

/// The terminal that a shell shares out among its jobs.
enum ForegroundTerminal {
  /// Whether the terminal behind `descriptor` is ours at the moment: we are not a job in the background.
  static func isOurs(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // One that is not our controlling terminal is shared out by nobody.
    return group <= 0 || group == getpgrp()
  }
}
