/// What runs the processes of a host: those of operations, and those that have to be on this machine.
struct HostExecutors {
  /// What runs the processes of operations.
  let jobs: any Executor
  let starts: JobStarts
  /// What runs processes on this machine, those that read secrets among them.
  let local: LocalExecutor

  /// - Parameters:
  ///   - local: What runs processes on this machine.
  ///   - jobs: What runs those of operations. Default nil: the same.
  ///   - loop: The event loop of the host.
  init(local: LocalExecutor, jobs: (any Executor)?, loop: EventLoop) {
    self.local = local
    self.jobs = jobs ?? local
    starts = JobStarts(self.jobs, loop: loop)
  }

  /// What may have started something for a run: what operations of plugins start, and what reads secrets, is on this machine wherever jobs are.
  var all: [any Executor] { jobs === local ? [local] : [local, jobs] }
}
