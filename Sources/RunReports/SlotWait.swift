import PipelineLanguage
import RunHistory

/// What operations that could begin wait for: a slot of their run, or one of the processes that their host allows. It is derived when it is read, because
/// operations that have not begun have no record.
package struct SlotWait: Sendable, Hashable {
  /// What they wait for, and why it is not free, to follow `waits for`.
  package let awaited: String
  /// What would let one of them begin.
  package let remedy: String

  /// Nil if nothing is known to block them, as while one is about to begin.
  ///
  /// - Parameters:
  ///   - operations: The records of the operations of the run.
  ///   - concurrency: The key of the pipeline.
  ///   - processors: The number of processors of the run's host, which is the number of slots without the key; nil if unknown.
  ///   - busyHost: Returns the host if it has no slot for further operations, otherwise nil.
  package init?(
    among operations: some Sequence<OperationRecord>, concurrency: Int?, processors: Int?, busyHost: () -> BusyHost?
  ) {
    let loops = Set(operations.compactMap(\.parent))
    let atWork = operations.filter { $0.state == .running && !loops.contains($0.ordinal) }
    if let limit = concurrency ?? processors, atWork.count >= limit {
      let taken = TakenSlots(by: atWork, limit: limit, isDeclared: concurrency != nil)
      self.init(
        awaited: "a free slot: \(taken.words)",
        remedy: "it begins when another operation ends; `concurrency` allows more at once")
    } else {
      guard let host = busyHost() else { return nil }
      self.init(of: host)
    }
  }

  /// The wait for a process of a host.
  init(of host: BusyHost) {
    self.init(awaited: host.awaited, remedy: host.remedy)
  }

  private init(awaited: String, remedy: String) {
    (self.awaited, self.remedy) = (awaited, remedy)
  }

  /// `'a' waits for …`, or `'a' and 2 more wait for …`.
  ///
  /// - Parameter names: The operations that wait, at least one.
  /// - Returns: A clause.
  package func words(of names: [String]) -> String {
    let more = names.count - 1
    return "'\(names.first ?? "")'\(more > 0 ? " and \(more) more wait" : " waits") for \(awaited)"
  }

  /// Returns the operations that could begin, in the order of the file: their dependencies have ended, and they have no record, or are recorded as pending.
  /// A loop that has begun is included while none of its items is active.
  ///
  /// - Parameters:
  ///   - pipeline: The definition of the run.
  ///   - records: The records of its operations.
  /// - Returns: Their names.
  package static func startable(
    in pipeline: PipelineDefinition, _ records: some Sequence<OperationRecord>
  ) -> [String] {
    var whole: [String: OperationRecord] = [:]
    var busyLoops: Set<Int> = []
    for record in records {
      guard let loop = record.parent else {
        whole[record.name] = record
        continue
      }
      if [.running, .waiting, .retrying].contains(record.state) { busyLoops.insert(loop) }
    }
    return pipeline.operations.filter { definition in
      if let record = whole[definition.name], record.state != .pending {
        return record.state == .running && StateReason.items(of: record) != nil && !busyLoops.contains(record.ordinal)
      }
      return definition.dependencies.allSatisfy { whole[pipeline.operations[$0].name]?.state.isFinal == true }
    }.map(\.name)
  }
}
