import Glibc
import PluginHost
import Values

/// Opens and closes children, and prints what is left of them.
enum LeakCount {
  private final class File: ChildLaunch.File {
    let descriptor: Int32
    init(_ path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    deinit { close(descriptor) }
  }

  /// Prints how many descriptors and threads there are more than after the first child, and whether there is a child or a zombie.
  static func run(_ path: String) throws {
    try cycle(path)
    // The one thread of the clock and what it needs are there from now on.
    let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
    for _ in 0..<20 { try cycle(path) }
    // Threads that were told to end may take a moment to do so.
    var tries = 0
    while count("/proc/self/task") > threads || count("/proc/self/fd") > descriptors, tries < 5000 {
      usleep(1000)
      tries += 1
    }
    let left = waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD ? "no" : "some"
    // What was left of the first child for a moment may have been counted; a leak would be twenty times as large.
    let (more, moreThreads) = (count("/proc/self/fd") - descriptors, count("/proc/self/task") - threads)
    print("\(max(0, more)) descriptors, \(max(0, moreThreads)) threads, \(left) children")
  }

  private static func cycle(_ path: String) throws {
    let launch = ChildLaunch(command: ["/proc/self/exe"], name: "leaks", path: path, file: File(path))
    let connection = try IsolatedConnection.open(launch)
    connection.retire()
    // It has ended when nothing of it is left.
    while waitid(P_ALL, 0, nil, WEXITED | WNOHANG | WNOWAIT) == 0 { usleep(1000) }
  }

  private static func count(_ directory: String) -> Int {
    guard let stream = opendir(directory) else { return -1 }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count
  }
}
