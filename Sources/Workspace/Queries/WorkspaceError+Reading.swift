extension WorkspaceError {
  /// Converts an error that occurred while objects were read.
  init(reading error: any Error, path: String) {
    switch error {
    case let row as UnreadableRow:
      self = .unreadable(path: path, field: "\(row.table).\(row.field)", value: row.value.text)
    case let value as UnsuitableValue: self = .unsuitableQuery(path: path, reason: value.reason)
    default: self.init(error, path: path)
    }
  }
}
