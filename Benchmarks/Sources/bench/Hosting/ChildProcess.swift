import Glibc

/// A process that the driver has started, without input; its output goes to a file.
struct ChildProcess {
  let id: pid_t

  /// Starts a program, which has `variables` beside those of the driver, and whose output is appended to the file `output`.
  init(_ program: String, _ arguments: [String], variables: [String: String] = [:], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    var assignments = variables.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in words + assignments { free(text) } }
    var next = environ
    while let entry = next.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if variables[String(name)] == nil { assignments.append(strdup(entry)) }
      next += 1
    }
    assignments.append(nil)
    var id = pid_t()
    let error = posix_spawn(&id, program, &actions, nil, words, assignments)
    guard error == 0 else { throw BenchError("cannot start \(program): \(String(cString: strerror(error)))") }
    self.id = id
  }

  /// Waits for its end, and returns its exit status, or 128 and the signal that ended it.
  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return Self.code(status)
  }

  /// The same; nil if it is still there after so many seconds.
  func wait(seconds: Double) -> Int32? {
    let deadline = WallClock.seconds + seconds
    while true {
      var status: Int32 = 0
      if waitpid(id, &status, WNOHANG) == id { return Self.code(status) }
      guard WallClock.seconds < deadline else { return nil }
      usleep(2000)
    }
  }

  func signal(_ number: Int32) { kill(id, number) }

  private static func code(_ status: Int32) -> Int32 {
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

/// The clock that records are stamped with.
enum WallClock {
  /// Seconds since 1970.
  static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
