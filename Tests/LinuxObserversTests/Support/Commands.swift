import Glibc

/// Runs a program to its end, without input or output.
///
/// - Returns: Its exit code; nil if it could not be started or was terminated by a signal.
func runCommand(_ arguments: String...) -> Int32? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
  }
  var pid = pid_t()
  var pointers = arguments.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  guard posix_spawnp(&pid, arguments[0], &actions, nil, &pointers, environ) == 0 else { return nil }
  var status: Int32 = 0
  guard waitpid(pid, &status, 0) == pid, status & 0x7f == 0 else { return nil }
  return (status >> 8) & 0xff
}
