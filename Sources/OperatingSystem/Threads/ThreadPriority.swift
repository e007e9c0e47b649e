import Glibc

/// The priority of the calling thread. A thread made by one of a thread pool has that of the pool, and so would the processes that it starts.
package enum ThreadPriority {
  private static let ofProcess = __priority_which_t(PRIO_PROCESS.rawValue)

  /// Sets it to that of the process, lowered by `steps` of niceness.
  package static func followProcess(loweredBy steps: Int32 = 0) {
    errno = 0
    let priority = getpriority(ofProcess, id_t(getpid()))
    if errno == 0 { setpriority(ofProcess, 0, min(priority + steps, 19)) }
  }
}
