/// Handlers in the order of their registration: a value, kept by its owner under the owner's lock.
///
/// The owner takes a ``snapshot`` under its lock, releases the lock, and then calls ``Snapshot/forEach(_:)``. What the
/// table gives back on removal has to be released outside of the lock too, since a handler may own the last reference
/// to something of the user's.
///
/// Adding and removing take constant time, give or take, however many handlers there are; a snapshot allocates nothing.
struct HandlerTable<Handler: Sendable>: Sendable {
  typealias ID = UInt64

  fileprivate struct Slot: Sendable {
    let id: ID
    var entry: HandlerEntry<Handler>?
  }

  /// The handlers at one moment.
  struct Snapshot: Sendable {
    fileprivate let slots: ContiguousArray<Slot>

    /// Calls `body` with each handler, in their order, unless it has been removed since.
    func forEach(_ body: (Handler) -> Void) {
      for slot in slots {
        guard let entry = slot.entry, entry.isActive else { continue }
        body(entry.handler)
      }
    }
  }

  /// In ascending order of `id`. Removed handlers leave empty slots, which go when they are the majority.
  private var slots: ContiguousArray<Slot> = []
  private var lastID: ID = 0
  /// How many handlers there are.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The handlers now.
  var snapshot: Snapshot { Snapshot(slots: slots) }

  /// One handler; nobody when it has been removed.
  func snapshot(of id: ID) -> Snapshot {
    Snapshot(slots: ContiguousArray(slots.filter { $0.id == id }))
  }

  /// Adds `handler` behind all others.
  mutating func insert(_ handler: Handler) -> ID {
    lastID += 1
    slots.append(Slot(id: lastID, entry: HandlerEntry(handler)))
    count += 1
    return lastID
  }

  /// Removes a handler; snapshots taken before do not call it any more.
  ///
  /// - Returns: What kept the handler, to be released outside of the owner's lock; nil when it was removed already.
  mutating func remove(_ id: ID) -> HandlerEntry<Handler>? {
    var (low, high) = (0, slots.count)
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < slots.count, slots[low].id == id, let entry = slots[low].entry else { return nil }
    entry.deactivate()
    slots[low].entry = nil
    count -= 1
    if slots.count > 16, count < slots.count / 2 { slots.removeAll { $0.entry == nil } }
    return entry
  }
}
