import Glibc

/// Sets the priority of the calling thread. Threads of a pool have the pool's priority, and processes that they start would inherit it.
package enum ThreadPriority {
  private static let ofProcess = __priority_which_t(PRIO_PROCESS.rawValue)

  /// Sets the priority to that of the process, lowered by `steps` of niceness.
  package static func followProcess(loweredBy steps: Int32 = 0) {
    errno = 0
    let priority = getpriority(ofProcess, id_t(getpid()))
    if errno == 0 { setpriority(ofProcess, 0, min(priority + steps, 19)) }
  }
}
