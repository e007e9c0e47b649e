import Workspace

extension ProcessIdentity {
  /// Returns where an unfinished run is, for people to read: "is running in process 12". `directory` is that of the workspace.
  package func whereabouts(in directory: String) -> String {
    if self == .nobody { return "is queued and does not belong to a process yet" }
    switch judgement(in: directory) {
    case .alive, .dead:
      return "is running in process \(pid)" + (isVisible ? "" : " of another container (pid namespace)")
    case .unknown:
      return
        "may still be running in process \(pid) of another container (pid namespace): 'workspace.hosts' in the workspace, which would show that, "
        + "cannot be read; end that container, restore the file, or run this command there"
    }
  }
}
