import RunHistory

/// What the runs of a host share with each other and with those of other processes on the workspace. *On the event loop.*
struct SharedCapacity {
  /// The limits for all runs together; nil if the host has none.
  let limits: HostLimits?
  /// Terminates what dead hosts left running.
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
