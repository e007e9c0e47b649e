import RunHistory
import Workspace

/// What a host does while its history cannot be written, because the disk is full, say.
public enum WriteFailurePolicy: Sendable, Hashable {
  /// Its runs are cancelled, and fail as `history-failed`: for a program with one run, whose caller is told at once. The default.
  case cancel
  /// Nothing new begins, and nothing is cancelled. What goes on goes on; its records are held, at most this many bytes of them, and written once that succeeds, which is tried each second. A
  /// run whose records no longer fit is interrupted, to be resumed: for a program that runs for months. An operation for which the process has no descriptor, thread or memory waits as well.
  case hold(bytes: Int)

  /// Holds 64 MiB of records: some 50,000 operations.
  public static let holdUsual = WriteFailurePolicy.hold(bytes: 64 << 20)

  /// How many bytes are held; nil where none are.
  var heldBytes: Int? { if case .hold(let bytes) = self { bytes } else { nil } }
}

/// The history of a host, or the files of its runs, cannot be written.
public struct WriteFailure: Sendable, Equatable {
  /// Why, at the latest try.
  public var error: WorkspaceError
  /// Whether it is the files of runs that cannot be written, below `runs` in the workspace.
  public var concernsFiles = false
  /// Since when.
  public var since: RecordTime
  /// How many bytes of records are held.
  public var heldBytes = 0
  /// How many records these are.
  public var heldRecords = 0
  /// The runs whose records no longer fitted, which are interrupted.
  public var interruptedRuns: [RunID] = []

  package init(error: WorkspaceError, concernsFiles: Bool = false, since: RecordTime) {
    self.error = error
    self.concernsFiles = concernsFiles
    self.since = since
  }
}
