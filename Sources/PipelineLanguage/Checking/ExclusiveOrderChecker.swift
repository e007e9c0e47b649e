import Expressions

extension PipelineChecker {
  /// How many pairs of operations are looked at, at most, for whether they can run side by side.
  private static let pairLimit = 100
  /// How many names and orders are looked at, at most, over all operations.
  private static let sizeLimit = 100_000

  /// Finds which exclusive names are taken in which order, and warns once of two that are taken in opposite orders by operations
  /// which can run side by side: each may come to hold what the other waits for.
  func checkExclusiveOrder() {
    var whole = ExclusiveUse()
    var earlier: [ExclusiveUse.Order: [(operation: Int, place: ExclusiveUse.Place)]] = [:]
    var reported: Set<Set<String>> = []
    var pairsLeft = Self.pairLimit
    var sizeLeft = Self.sizeLimit
    for (index, operation) in draft.operations.enumerated() where sizeLeft > 0 {
      guard let use = exclusiveUse(of: operation) else { continue }
      whole.add(use)
      sizeLeft -= use.size
      // Items of a loop can run side by side, too.
      let isLoop = operation.definition.loop.map { $0.concurrency != 1 } ?? false
      for (order, place) in use.orders {
        let pair: Set = [order.held, order.taken]
        let own = isLoop ? use.orders[order.reversed].map { [(operation: index, place: $0)] } : nil
        for other in (earlier[order.reversed] ?? []) + (own ?? []) {
          guard pairsLeft > 0, !reported.contains(pair) else { break }
          pairsLeft -= 1
          guard other.place.guards.isDisjoint(with: place.guards), !areOrdered(other.operation, index) else { continue }
          reported.insert(pair)
          reader.warning(
            .exclusiveOrder,
            "'\(place.taker)' takes '\(order.taken)' while '\(place.holder)' holds '\(order.held)', and '\(other.place.taker)' takes '\(order.held)' while '\(other.place.holder)' holds '\(order.taken)': they can wait for each other for ever",
            at: operation.exclusiveRange ?? operation.nameRange, fix: "take them in the same order everywhere")
        }
      }
      for (order, place) in use.orders { earlier[order, default: []].append((index, place)) }
    }
    for handler in draft.handlers { exclusiveUse(of: handler).map { whole.add($0) } }
    draft.definition.exclusiveUse = whole
  }

  /// What an operation takes; nil for nothing.
  private func exclusiveUse(of operation: OperationDraft) -> ExclusiveUse? {
    let name = operation.definition.exclusive.flatMap { $0.isLiteral ? $0.text : nil }
    var inner: ExclusiveUse?
    if let path = operation.nestedCall?.path, let pipeline = nested[path] ?? nil {
      inner = pipeline.exclusiveUse
    }
    guard name != nil || inner?.names.isEmpty == false else { return nil }
    return ExclusiveUse(of: operation.definition.name, name: name, running: inner)
  }

  /// Whether one of two operations depends on the other, directly or not.
  private func areOrdered(_ one: Int, _ other: Int) -> Bool {
    dependencies(of: one).contains(other) || dependencies(of: other).contains(one)
  }

  /// Everything that an operation depends on, directly or not.
  private func dependencies(of operation: Int) -> Set<Int> {
    var found: Set<Int> = []
    var open = [operation]
    while let next = open.popLast() {
      for dependency in draft.operations[next].definition.dependencies where found.insert(dependency).inserted {
        open.append(dependency)
      }
    }
    return found
  }
}
