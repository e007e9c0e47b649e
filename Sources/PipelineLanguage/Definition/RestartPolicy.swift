/// What a host does at its start with a run that was interrupted because the former host ended.
public enum RestartPolicy: String, Sendable, CaseIterable {
  /// It resumes the run.
  case resume
  /// It ends the run as failed.
  case fail
  /// It leaves the run interrupted, until somebody resumes it.
  case leave
}
