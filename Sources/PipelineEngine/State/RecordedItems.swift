import RunHistory

/// A success in the retried run that is reused if its dependencies end as they did then.
struct ConditionalSuccess {
  var record: OperationRecord
  /// The states in which its dependencies ended, by ordinal; nil for those that did not exist.
  var dependencies: [(ordinal: Int, state: OperationState?)]
}

/// The position of an item in its loop.
struct ItemKey: Hashable {
  var parent: Int
  var index: Int
}

/// Items of loops that were recorded before this host reached them. Each is noted once, because its later outcome takes precedence.
struct RecordedItems {
  /// The instances that a former host of the run had begun.
  var begun: [ItemKey: Int] = [:]
  /// The items of the run that this one retries, and of the runs that it retried itself.
  private(set) var inherited: [ItemKey: OperationRecord] = [:]
  /// Operations that are executed or reused depending on how their dependencies end.
  var conditional: [Int: ConditionalSuccess] = [:]
  /// Their large results, and those of other operations of earlier runs.
  var results = ParsedResults()

  /// Notes an item of an earlier run; the latest run comes first.
  mutating func inherit(_ item: OperationRecord, for key: ItemKey) {
    if inherited[key] == nil { inherited[key] = item }
  }
}
