import OrderedCollections

/// What the operations of a pipeline take that others may have to wait for, as far as it is written out, and in which order: known to those who run the pipeline.
struct ExclusiveUse: Sendable {
  /// Something of which there is so much, and no more.
  enum Thing: Sendable, Hashable {
    /// An exclusive name.
    case name(String)
    /// A resource of the host.
    case resource(String)
    /// A resource of the pipeline, of which each run has its own.
    case ownResource(String)
    /// A slot of the run (`concurrency`).
    case slot

    /// Whether each run has it for itself, so that nobody outside waits for it.
    var isOfRun: Bool {
      switch self {
      case .name, .resource: false
      case .ownResource, .slot: true
      }
    }

    /// As people call it.
    var title: String {
      switch self {
      case .name(let name): "'\(name)'"
      case .resource(let name), .ownResource(let name): "the resource '\(name)'"
      case .slot: "a slot of `concurrency`"
      }
    }
  }

  /// One thing that is taken while another is held.
  struct Order: Sendable, Hashable {
    var held: Thing
    var taken: Thing

    var reversed: Order { Order(held: taken, taken: held) }
  }

  /// An operation, as a path such as `deploy/build`, with how much it takes.
  struct Taker: Sendable {
    var path: String
    var amount = 1
  }

  /// Where that happens.
  struct Place: Sendable {
    var holder: Taker
    var taker: Taker
    /// The names that are held around both.
    var guards: Set<String> = []
  }

  /// What one operation takes for itself.
  struct Demand: Sendable {
    /// Its exclusive name, which it holds through all its attempts.
    var name: String?
    /// What each attempt takes, and gives back at its end.
    var amounts: [(thing: Thing, amount: Int)] = []
    /// Whether there may be another attempt: what that takes, it takes while it holds the name.
    var isRepeated = false

    var isEmpty: Bool { name == nil && amounts.isEmpty }
  }

  /// More things, or more orders, are not kept: what is made of them is a warning.
  private static let limit = 200

  /// The things, each with the operation that takes most of it.
  private(set) var things: OrderedDictionary<Thing, Taker> = [:]
  /// The orders, each with the first place where it is found.
  private(set) var orders: OrderedDictionary<Order, Place> = [:]

  /// Nothing is taken.
  init() {}

  /// What one operation takes, and while it holds that, what the pipeline takes that it runs.
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
      // More of the same is found where what remains of it is looked at.
      for (thing, holder) in held where thing != taken {
        orders[Order(held: thing, taken: taken)] = Place(holder: holder, taker: taker)
      }
    }
    // A name that is held already is another one inside.
    for (order, place) in nested.orders
    where order.held != own && order.taken != own && !order.held.isOfRun && !order.taken.isOfRun {
      orders[order] = Place(
        holder: Taker(path: "\(operation)/\(place.holder.path)", amount: place.holder.amount),
        taker: Taker(path: "\(operation)/\(place.taker.path)", amount: place.taker.amount),
        guards: name.map { place.guards.union([$0]) } ?? place.guards)
    }
  }

  /// How many things and orders there are.
  var size: Int { things.count + orders.count }

  /// Whether nobody waits for anything of it, and it for nobody.
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
