import RunHistory

/// What the runs of a host take from each other, and from those of other processes on the workspace. *On the loop.*
struct SharedCapacity {
  /// What all runs together may take; nil where the host bounds nothing.
  let limits: HostLimits?
  /// Ends what gone hosts have left running.
  let formerProcesses: FormerProcesses
  let locks: ExclusiveLocks
  /// What all processes on the workspace share.
  let resources: SharedResources

  init(
    _ configuration: HostConfiguration, loop: EventLoop, history: History, recorder: HistoryRecorder, time: HostClock,
    watch: WorkspaceWatch
  ) {
    limits = HostLimits.of(configuration.capacity)
    formerProcesses = FormerProcesses(
      history: history, delayer: LoopDelayer(loop: loop), isPatient: configuration.whenWritingFails.heldBytes != nil)
    locks = ExclusiveLocks(
      loop: loop, recorder: recorder, history: history, time: time, formerProcesses: formerProcesses)
    resources = SharedResources(
      loop: loop, history: history, recorder: recorder, time: time, locks: locks, watch: watch,
      formerProcesses: formerProcesses)
  }
}
