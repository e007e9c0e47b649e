import Glibc

/// Moves the process to a new session without a terminal.
func leaveTerminal() {
  if setsid() < 0 {
    // A group leader cannot create a session. A test's process is alone in its group, so it gives up the terminal instead.
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY)
    if terminal >= 0 {
      _ = ioctl(terminal, UInt(TIOCNOTTY))
      close(terminal)
    }
  }
}

/// A pseudoterminal that is this process's controlling terminal, with its group in the foreground. For processes that a test
/// started for itself.
final class TestTerminal: Sendable {
  private let master: Int32
  private let slave: Int32

  init?() {
    leaveTerminal()
    // Moving another group to the foreground, or returning from the background, must not stop this process.
    signal(SIGTTOU, SIG_IGN)
    signal(SIGTTIN, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    var (master, slave) = (Int32(-1), Int32(-1))
    guard openpty(&master, &slave, nil, nil, nil) == 0 else { return nil }
    (self.master, self.slave) = (master, slave)
    guard ioctl(slave, UInt(TIOCSCTTY), 0) == 0 else { return nil }
    guard tcsetpgrp(slave, getpgrp()) == 0 else { return nil }
  }

  /// Starts a waiting process in its own group.
  func startGroup() -> pid_t? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var pid = pid_t()
    var arguments = [strdup("sleep"), strdup("600"), nil]
    defer { for argument in arguments { free(argument) } }
    return posix_spawnp(&pid, "sleep", nil, &attributes, &arguments, environ) == 0 ? pid : nil
  }

  func setForeground(_ group: pid_t) {
    tcsetpgrp(slave, group)
  }
}
