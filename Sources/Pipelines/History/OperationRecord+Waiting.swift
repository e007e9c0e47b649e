import Values

extension OperationRecord {
  /// Since when it waits for a specification, or did when its host ended; nil where it did not.
  var waitBegan: RecordTime? {
    guard let detail = detail.flatMap({ try? JSONValue.parse($0) }), detail["formula"] != nil else { return nil }
    return detail["since"]?.stringValue.flatMap(TimestampNotation.parse).map(RecordTime.init(secondsSince1970:))
  }
}
