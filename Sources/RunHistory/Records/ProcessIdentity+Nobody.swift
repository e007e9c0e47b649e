import Workspace

extension ProcessIdentity {
  /// Whom a queued run belongs to: no process has this identity, and no imported run.
  package static let nobody = ProcessIdentity(boot: "", pid: .max, started: -1)
}
