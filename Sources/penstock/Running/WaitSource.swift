import PipelineService
import RunHistory
import RunReports
import Workspace

/// Information about waits that a workspace has and the records of a run lack.
struct WaitSource: Sendable {
  /// Returns the host of a run if it has no slot for further operations, otherwise nil.
  let busyHost: @Sendable (RunRecord) -> BusyHost?
  /// Returns the holders of resources as text that begins with a comma; empty if there are none.
  let holding: @Sendable ([String]) -> String

  init(
    busyHost: @escaping @Sendable (RunRecord) -> BusyHost?, holding: @escaping @Sendable ([String]) -> String
  ) {
    (self.busyHost, self.holding) = (busyHost, holding)
  }

  init(_ history: History) {
    self.init {
      try? BusyHost(of: $0, in: history)
    } holding: {
      (try? history.holding(ofResources: $0)) ?? ""
    }
  }
}

extension RunRecord {
  /// The number of processors of its host, if that is on this computer.
  var processors: Int? { owner.boot == ProcessIdentity.current.boot ? RunService.processors : nil }
}
