import Workspace

extension ProcessIdentity {
  /// The owner of a queued run: no process has this identity, and no imported run.
  package static let nobody = ProcessIdentity(boot: "", pid: .max, started: -1)
}
