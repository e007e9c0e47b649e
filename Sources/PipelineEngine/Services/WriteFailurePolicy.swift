import RunHistory
import Workspace

/// What a host does while its history cannot be written, for example because the disk is full.
public enum WriteFailurePolicy: Sendable, Hashable {
  /// Cancels its runs, which fail as `history-failed`. For a program with one run, whose caller is notified immediately. The default.
  case cancel
  /// Starts nothing new and cancels nothing. Running operations continue; their records are held in memory, up to this many bytes, and written once
  /// that succeeds, which is retried each second. A run whose records no longer fit is interrupted, to be resumed. For a program that runs for
  /// months. An operation for which the process lacks a descriptor, a thread or memory waits as well.
  case hold(bytes: Int)

  /// Holds 64 MiB of records: some 50,000 operations.
  public static let holdUsual = WriteFailurePolicy.hold(bytes: 64 << 20)

  /// The maximum number of bytes held; nil if none are.
  var heldBytes: Int? { if case .hold(let bytes) = self { bytes } else { nil } }
}

/// A failure to write the history of a host, or the files of its runs.
public struct WriteFailure: Sendable, Equatable {
  /// The error of the latest attempt.
  public var error: WorkspaceError
  /// Whether the files of runs cannot be written, below `runs` in the workspace.
  public var concernsFiles = false
  /// When the failure began.
  public var since: RecordTime
  /// The number of bytes of records held.
  public var heldBytes = 0
  /// The number of records held.
  public var heldRecords = 0
  /// The interrupted runs, whose records no longer fit.
  public var interruptedRuns: [RunID] = []

  package init(error: WorkspaceError, concernsFiles: Bool = false, since: RecordTime) {
    self.error = error
    self.concernsFiles = concernsFiles
    self.since = since
  }
}
