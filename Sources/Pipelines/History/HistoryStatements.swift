import GRDB

/// How changes become rows. Used on the recorder's thread alone.
final class HistoryStatements: @unchecked Sendable {
  func apply(_ changes: ArraySlice<HistoryChange>, to db: Database) throws {}
}
