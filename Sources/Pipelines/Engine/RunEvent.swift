/// Something that happened in a run, for whoever presents it. The engine does not know who watches.
public enum RunEvent: Sendable {
  /// A run changed its state; the first one of a run says `queued` or `running`. Nested runs carry their `parent`.
  case run(RunRecord)
  /// An operation (or one item of its loop) changed its state.
  case operation(OperationRecord)
  /// An attempt began (`running`), ended, or chose the delay before the next one.
  case attempt(AttemptRecord)
  /// A person is asked.
  case approval(Approval)
  /// Something worth knowing that is no state, such as a group of left-over processes that was ended.
  case notice(RunID, String)
}
