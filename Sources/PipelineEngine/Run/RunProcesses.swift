/// The processes of one run. An id is in `running` from the start of its process until that is reaped, so it names no other process.
///
/// Other runs of the host have processes, too: whatever is done to the processes of a run is done to these alone.
struct RunProcesses {
  var running: Set<Int32> = []
  /// The groups of ended processes in which others lived on.
  var leftGroups: Set<Int32> = []
  let records = ProcessRecords()

  mutating func note(_ pid: Int32, isRunning: Bool) {
    if isRunning { running.insert(pid) } else { running.remove(pid) }
  }
}
