import RunHistory

/// What succeeded in the run that is retried, and is taken over if what it depends on ends as it did then.
struct ConditionalSuccess {
  var record: OperationRecord
  /// The states that its dependencies ended in, by their ordinals; nil for those that were not there.
  var dependencies: [(ordinal: Int, state: OperationState?)]
}

/// The place of an item in its loop.
struct ItemKey: Hashable {
  var parent: Int
  var index: Int
}

/// Items of loops that were recorded before this host has come to them: what became of an item later counts, so that each is noted once.
struct RecordedItems {
  /// The instances that a former host of the run had begun.
  var begun: [ItemKey: Int] = [:]
  /// Those of the run which this one retries, and of the runs that it retried itself.
  private(set) var inherited: [ItemKey: OperationRecord] = [:]
  /// Operations that the run executes or takes over, whichever their dependencies say.
  var conditional: [Int: ConditionalSuccess] = [:]
  /// Their results, and those of other operations of former runs, where they are large.
  var results = ParsedResults()

  /// Notes an item of an earlier run; runs come the latest first.
  mutating func inherit(_ item: OperationRecord, for key: ItemKey) {
    if inherited[key] == nil { inherited[key] = item }
  }
}
