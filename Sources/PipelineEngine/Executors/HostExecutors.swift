/// The executors of a host: for the processes of operations, and for those that have to be on this computer.
struct HostExecutors {
  /// Runs the processes of operations.
  let jobs: any Executor
  let starts: JobStarts
  /// Runs processes on this computer, including those that read secrets.
  let local: LocalExecutor

  /// - Parameters:
  ///   - local: Runs processes on this computer.
  ///   - jobs: Runs the processes of operations. Default nil: the same executor.
  ///   - loop: The event loop of the host.
  init(local: LocalExecutor, jobs: (any Executor)?, loop: EventLoop) {
    self.local = local
    self.jobs = jobs ?? local
    starts = JobStarts(self.jobs, loop: loop)
  }

  /// The executors that may have started something for a run: processes started by plugin operations, and those that read secrets, are on this
  /// computer wherever jobs run.
  var all: [any Executor] { jobs === local ? [local] : [local, jobs] }
}
