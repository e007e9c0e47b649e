import Expressions

extension PipelineChecker {
  /// The maximum number of pairs of operations that are checked for running in parallel.
  private static let pairLimit = 100
  /// The maximum number of names and orders that are checked, over all operations.
  private static let sizeLimit = 100_000

  /// Determines the order in which exclusive names, resources and slots are taken, and warns once for each two that operations which can run in parallel
  /// take in opposite orders: each may hold what the other waits for.
  func checkExclusiveOrder() {
    var whole = ExclusiveUse()
    var earlier: [ExclusiveUse.Order: [(operation: Int, place: ExclusiveUse.Place)]] = [:]
    var reported: Set<Set<ExclusiveUse.Thing>> = []
    var pairsLeft = Self.pairLimit
    var sizeLeft = Self.sizeLimit
    for (index, operation) in draft.operations.enumerated() where sizeLeft > 0 {
      guard let use = exclusiveUse(of: operation) else { continue }
      whole.add(use)
      sizeLeft -= use.size
      // Items of a loop can run in parallel, too.
      let isLoop = operation.definition.loop.map { $0.concurrency != 1 } ?? false
      for (order, place) in use.orders {
        let pair: Set = [order.held, order.taken]
        let own = isLoop ? use.orders[order.reversed].map { [(operation: index, place: $0)] } : nil
        for other in (earlier[order.reversed] ?? []) + (own ?? []) {
          guard pairsLeft > 0, !reported.contains(pair) else { break }
          pairsLeft -= 1
          guard lacks(order.held, place.holder, other.place.taker), lacks(order.taken, other.place.holder, place.taker),
            other.place.guards.isDisjoint(with: place.guards), !areOrdered(other.operation, index)
          else { continue }
          reported.insert(pair)
          reader.warning(
            .exclusiveOrder,
            "\(words(order, place)), and \(words(order.reversed, other.place)): they can wait for each other for ever",
            at: operation.exclusiveRange ?? operation.nameRange, fix: "take them in the same order everywhere")
        }
      }
      for (order, place) in use.orders { earlier[order, default: []].append((index, place)) }
    }
    for handler in draft.handlers { exclusiveUse(of: handler).map { whole.add($0) } }
    draft.definition.exclusiveUse = whole
  }

  /// Returns text such as `'a/i' takes 'L2' while 'a' holds 'L1'`.
  private func words(_ order: ExclusiveUse.Order, _ place: ExclusiveUse.Place) -> String {
    let what =
      place.taker.path == place.holder.path
      ? "'\(place.taker.path)' takes \(order.taken.title) for its next attempt while it"
      : "'\(place.taker.path)' takes \(order.taken.title) while '\(place.holder.path)'"
    return "\(what) holds \(order.held.title)"
  }

  /// Returns whether the capacity is too small for the holder and the taker together.
  private func lacks(
    _ thing: ExclusiveUse.Thing, _ holder: ExclusiveUse.Taker, _ taker: ExclusiveUse.Taker
  ) -> Bool {
    let capacity: Int? =
      switch thing {
      case .name: 1
      case .resource(let name): hostCapacity(of: name)
      case .ownResource(let name): draft.definition.resources.first { $0.name == name }?.capacity
      case .slot: draft.definition.concurrency
      }
    return capacity.map { holder.amount > $0 - taker.amount } ?? false
  }

  /// Returns the host's capacity of a resource; nil if it has none, or if no host is known.
  private func hostCapacity(of resource: String) -> Int? {
    guard case .host(let host) = session.host.kind else { return nil }
    return host.resource(resource)?.capacity
  }

  /// Returns what an operation takes; nil if it takes nothing that others could wait for.
  private func exclusiveUse(of operation: OperationDraft) -> ExclusiveUse? {
    let definition = operation.definition
    var demand = ExclusiveUse.Demand(name: definition.exclusive.flatMap { $0.isLiteral ? $0.text : nil })
    demand.isRepeated = definition.retry.limit > 0 || definition.repetition != nil
    for (place, amount) in definition.resources {
      let (name, capacity) = draft.definition.resources[place]
      // A resource that only the host declares imposes no limit within a single run.
      if capacity < .max { demand.amounts.append((.ownResource(name), amount)) }
      if hostCapacity(of: name) != nil { demand.amounts.append((.resource(name), amount)) }
    }
    if draft.definition.concurrency == 1, operation.actionKey != nil, definition.action.kind.isWork {
      demand.amounts.append((.slot, 1))
    }
    var inner: ExclusiveUse?
    if let path = operation.nestedCall?.path, let pipeline = nested[path] ?? nil {
      inner = pipeline.exclusiveUse
    }
    guard !demand.isEmpty || inner?.isEmpty == false else { return nil }
    return ExclusiveUse(of: definition.name, demand, running: inner)
  }

  /// Returns whether one of two operations depends on the other, directly or indirectly.
  private func areOrdered(_ one: Int, _ other: Int) -> Bool {
    dependencies(of: one).contains(other) || dependencies(of: other).contains(one)
  }

  /// Returns all dependencies of an operation, direct and indirect.
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
