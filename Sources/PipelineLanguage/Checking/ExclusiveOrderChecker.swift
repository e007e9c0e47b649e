import Expressions

extension PipelineChecker {
  /// How many pairs of operations are looked at, at most, for whether they can run side by side.
  private static let pairLimit = 100
  /// How many names and orders are looked at, at most, over all operations.
  private static let sizeLimit = 100_000

  /// Finds which exclusive names, resources and slots are taken in which order, and warns once of two that are taken in opposite orders by operations
  /// which can run side by side: each may come to hold what the other waits for.
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
      // Items of a loop can run side by side, too.
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

  /// `'a/i' takes 'L2' while 'a' holds 'L1'`.
  private func words(_ order: ExclusiveUse.Order, _ place: ExclusiveUse.Place) -> String {
    let what =
      place.taker.path == place.holder.path
      ? "'\(place.taker.path)' takes \(order.taken.title) for its next attempt while it"
      : "'\(place.taker.path)' takes \(order.taken.title) while '\(place.holder.path)'"
    return "\(what) holds \(order.held.title)"
  }

  /// Whether there is too little of something for one that holds it and one that takes it.
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

  /// How much the host has of a resource; nil where it has none of it, and where no host is known.
  private func hostCapacity(of resource: String) -> Int? {
    guard case .host(let host) = session.host.kind else { return nil }
    return host.resource(resource)?.capacity
  }

  /// What an operation takes; nil for nothing that others wait for.
  private func exclusiveUse(of operation: OperationDraft) -> ExclusiveUse? {
    let definition = operation.definition
    var demand = ExclusiveUse.Demand(name: definition.exclusive.flatMap { $0.isLiteral ? $0.text : nil })
    demand.isRepeated = definition.retry.limit > 0 || definition.repetition != nil
    for (place, amount) in definition.resources {
      let (name, capacity) = draft.definition.resources[place]
      // What the host alone declares bounds no single run beyond that.
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
