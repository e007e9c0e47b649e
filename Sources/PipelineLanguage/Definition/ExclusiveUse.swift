import OrderedCollections

/// What a pipeline's operations take that others may have to wait for, as far as it is literal, and in which order. Pipelines that run this one use it.
struct ExclusiveUse: Sendable {
  /// Something of limited capacity.
  enum Thing: Sendable, Hashable {
    /// An exclusive name.
    case name(String)
    /// A resource of the host.
    case resource(String)
    /// A resource of the pipeline, which each run has to itself.
    case ownResource(String)
    /// A slot of the run (`concurrency`).
    case slot

    /// Whether each run has its own, so that no other run waits for it.
    var isOfRun: Bool {
      switch self {
      case .name, .resource: false
      case .ownResource, .slot: true
      }
    }

    /// The name for messages.
    var title: String {
      switch self {
      case .name(let name): "'\(name)'"
      case .resource(let name), .ownResource(let name): "the resource '\(name)'"
      case .slot: "a slot of `concurrency`"
      }
    }
  }

  /// A thing that is taken while another is held.
  struct Order: Sendable, Hashable {
    var held: Thing
    var taken: Thing

    var reversed: Order { Order(held: taken, taken: held) }
  }

  /// An operation, as a path such as `deploy/build`, with the amount it takes.
  struct Taker: Sendable {
    var path: String
    var amount = 1
  }

  /// The operations that take two things in one order.
  struct Place: Sendable {
    var holder: Taker
    var taker: Taker
    /// The names that are held around both.
    var guards: Set<String> = []
  }

  /// What one operation takes for itself.
  struct Demand: Sendable {
    /// The exclusive name, which it holds during all its attempts.
    var name: String?
    /// The things that each attempt takes and releases at its end.
    var amounts: [(thing: Thing, amount: Int)] = []
    /// Whether there may be another attempt, which takes these amounts while the operation holds the name.
    var isRepeated = false

    var isEmpty: Bool { name == nil && amounts.isEmpty }
  }

  /// The maximum number of things and of orders; more are dropped, because they only serve a warning.
  private static let limit = 200

  /// The things, each with the operation that takes the most of it.
  private(set) var things: OrderedDictionary<Thing, Taker> = [:]
  /// The orders, each with the first place where it occurs.
  private(set) var orders: OrderedDictionary<Order, Place> = [:]

  /// Creates an empty use.
  init() {}

  /// Creates the use of one operation, including that of the pipeline that it runs meanwhile.
  init(of operation: String, _ demand: Demand, running nested: ExclusiveUse?) {
    let name = demand.name
    var held = demand.amounts.map { ($0.thing, Taker(path: operation, amount: $0.amount)) }
    if let name {
      let holder = Taker(path: operation)
      if demand.isRepeated {
        for (thing, taker) in held {
          orders[Order(held: .name(name), taken: thing)] = Place(holder: holder, taker: taker)
        }
      }
      held.insert((.name(name), holder), at: 0)
    }
    for (thing, taker) in held { things[thing] = taker }
    guard let nested else { return }
    let own = name.map(Thing.name)
    for (taken, inner) in nested.things where taken != own && !taken.isOfRun {
      let taker = Taker(path: "\(operation)/\(inner.path)", amount: inner.amount)
      if things[taken].map({ $0.amount < taker.amount }) ?? true { things[taken] = taker }
      // Taking more of the same thing is handled by the check of its remaining capacity.
      for (thing, holder) in held where thing != taken {
        orders[Order(held: thing, taken: taken)] = Place(holder: holder, taker: taker)
      }
    }
    // A name that is already held is a different one inside the nested pipeline.
    for (order, place) in nested.orders
    where order.held != own && order.taken != own && !order.held.isOfRun && !order.taken.isOfRun {
      orders[order] = Place(
        holder: Taker(path: "\(operation)/\(place.holder.path)", amount: place.holder.amount),
        taker: Taker(path: "\(operation)/\(place.taker.path)", amount: place.taker.amount),
        guards: name.map { place.guards.union([$0]) } ?? place.guards)
    }
  }

  /// The number of things and orders.
  var size: Int { things.count + orders.count }

  /// Whether nothing is taken.
  var isEmpty: Bool { things.isEmpty }

  /// Adds what another operation takes.
  mutating func add(_ other: ExclusiveUse) {
    for (thing, taker) in other.things {
      guard let former = things[thing] else {
        if things.count < Self.limit { things[thing] = taker }
        continue
      }
      if former.amount < taker.amount { things[thing] = taker }
    }
    for (order, place) in other.orders where orders[order] == nil && orders.count < Self.limit { orders[order] = place }
  }
}
