import PipelineService
import RunHistory
import RunReports
import Workspace

/// What a workspace knows of waits that the records of a run do not say.
struct WaitSource: Sendable {
  /// Finds whether the host of a run lets no more operations begin.
  let busyHost: @Sendable (RunRecord) -> BusyHost?
  /// Finds who holds resources, in words that begin with a comma; empty where nobody does.
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
  /// How many processors its host has, where that is on this computer.
  var processors: Int? { owner.boot == ProcessIdentity.current.boot ? RunService.processors : nil }
}
