/// What a host does at its start with a run that was interrupted because the previous host ended.
public enum RestartPolicy: String, Sendable, CaseIterable {
  /// Resume the run.
  case resume
  /// End the run as failed.
  case fail
  /// Leave the run interrupted until it is resumed.
  case leave
}
