extension LedgerChecker {
  /// No pipeline waits for more starts of its own priority than there are pipelines with queued runs. In a queue with a limit of its own, only that queue's
  /// starts count: for other queues, it may have no slot.
  mutating func checkTurns() {
    let places = Dictionary(uniqueKeysWithValues: pipelines.map { ($0.name, $0) })
    let singles = Set(pipelines.filter { $0.overlap == .queue }.map(\.name))
    let started = ledger.runs.values.filter { $0.startedAt != nil }
    let byPriority = Dictionary(grouping: started) { places[$0.pipeline]?.priority }
    let byPipeline = Dictionary(grouping: started, by: \.pipeline)
    for runs in byPriority.values {
      let all = runs.sorted { ($0.startedAt ?? 0, $0.number) < ($1.startedAt ?? 0, $1.number) }
      let byQueue = Dictionary(grouping: all) { places[$0.pipeline]?.queue ?? "" }
      for run in all where run.startedAt ?? 0 > run.createdAt {
        let queue = places[run.pipeline]?.queue ?? ""
        let starts = limited.contains(queue) ? byQueue[queue] ?? [] : all
        // It waits from its request, or from the previous start of its pipeline, or from the start of its host, which does not know whose turn it is.
        let started = run.startedAt ?? 0
        var from = run.createdAt
        for other in byPipeline[run.pipeline] ?? [] where other.number != run.number {
          if let start = other.startedAt, start < started || start == started && other.number < run.number {
            from = max(from, start)
          }
          if singles.contains(run.pipeline), let end = other.endedAt, end <= started { from = max(from, end) }
        }
        for life in lives where life.began <= started { from = max(from, life.began) }
        if let pause = pauses[run.pipeline], pause.from < started { from = max(from, min(pause.to, started)) }
        let first = starts.partitioningIndex { $0.startedAt ?? 0 > from }
        let last = starts.partitioningIndex { $0.startedAt ?? 0 >= started }
        guard first < last else { continue }
        let before = starts[first..<last].filter { $0.pipeline != run.pipeline }
        let waiting = Set(
          starts.filter { $0.createdAt <= started && $0.startedAt ?? 0 >= from }.map(\.pipeline))
        if before.count > waiting.count {
          problems.append(
            "run \(run.number) of \(run.pipeline) has waited for \(before.count) others, and \(waiting.count) pipelines had something queued"
          )
        }
      }
    }
  }
}

extension Array {
  /// The first index from which `belongs` holds, in an array sorted by it.
  fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
