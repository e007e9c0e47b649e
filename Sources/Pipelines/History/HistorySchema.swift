import Workspace

/// The tables of run history, and the public views over them.
public enum HistorySchema {
  /// The identity and the migrations of a Penstock workspace.
  public static let schema = WorkspaceSchema(applicationID: 0x7065_6e73, migrations: [])
}
