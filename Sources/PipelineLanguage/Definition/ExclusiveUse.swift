import OrderedCollections

/// The exclusive names that the operations of a pipeline take, as far as they are written out, and in which order: known to those
/// who run the pipeline.
struct ExclusiveUse: Sendable {
  /// One name that is taken while another is held.
  struct Order: Sendable, Hashable {
    var held: String
    var taken: String

    var reversed: Order { Order(held: taken, taken: held) }
  }

  /// Where that happens: the operations as paths such as `deploy/build`.
  struct Place: Sendable {
    var holder: String
    var taker: String
    /// The names that are held around both.
    var guards: Set<String> = []
  }

  /// More names, or more orders, are not kept: what is made of them is a warning.
  private static let limit = 200

  /// The names, each with the first operation that takes it.
  private(set) var names: OrderedDictionary<String, String> = [:]
  /// The orders, each with the first place where it is found.
  private(set) var orders: OrderedDictionary<Order, Place> = [:]

  /// Nothing is taken.
  init() {}

  /// What one operation takes: `name`, and while it holds that, or without it, what the pipeline takes that it runs.
  init(of operation: String, name: String?, running nested: ExclusiveUse?) {
    if let name { names[name] = operation }
    guard let nested else { return }
    for (taken, taker) in nested.names where taken != name {
      let path = "\(operation)/\(taker)"
      names[taken] = path
      if let name { orders[Order(held: name, taken: taken)] = Place(holder: operation, taker: path) }
    }
    // A name that is held already is another one inside.
    for (order, place) in nested.orders where order.held != name && order.taken != name {
      orders[order] = Place(
        holder: "\(operation)/\(place.holder)", taker: "\(operation)/\(place.taker)",
        guards: name.map { place.guards.union([$0]) } ?? place.guards)
    }
  }

  /// How many names and orders there are.
  var size: Int { names.count + orders.count }

  /// Adds what another operation takes.
  mutating func add(_ other: ExclusiveUse) {
    for (name, taker) in other.names where names[name] == nil && names.count < Self.limit { names[name] = taker }
    for (order, place) in other.orders where orders[order] == nil && orders.count < Self.limit { orders[order] = place }
  }
}
