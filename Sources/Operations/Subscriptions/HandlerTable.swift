/// A table of handlers in the order of their registration: a value that its owner guards with its own lock.
///
/// The owner takes a ``snapshot`` while holding its lock, releases the lock, and then calls ``Snapshot/forEach(_:)``.
/// Entries returned on removal must also be released without the lock held, since a handler may own the last reference
/// to a user's object.
///
/// Adding takes constant time and removing logarithmic time, both amortised; a snapshot allocates no memory.
struct HandlerTable<Handler: Sendable>: Sendable {
  typealias ID = UInt64

  fileprivate struct Slot: Sendable {
    let id: ID
    var entry: HandlerEntry<Handler>?
  }

  /// The handlers at one point in time.
  struct Snapshot: Sendable {
    fileprivate let slots: ContiguousArray<Slot>

    /// Calls `body` with each handler, in order, unless it has been removed since.
    func forEach(_ body: (Handler) -> Void) {
      for slot in slots {
        guard let entry = slot.entry, entry.isActive else { continue }
        body(entry.handler)
      }
    }
  }

  /// The slots in ascending order of `id`. Removed handlers leave empty slots, which are removed once they are the majority.
  private var slots: ContiguousArray<Slot> = []
  private var lastID: ID = 0
  /// The number of handlers.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The current handlers.
  var snapshot: Snapshot { Snapshot(slots: slots) }

  /// A snapshot of one handler; empty if it has been removed.
  func snapshot(of id: ID) -> Snapshot {
    Snapshot(slots: ContiguousArray(slots.filter { $0.id == id }))
  }

  /// Adds `handler` after all others.
  mutating func insert(_ handler: Handler) -> ID {
    lastID += 1
    slots.append(Slot(id: lastID, entry: HandlerEntry(handler)))
    count += 1
    return lastID
  }

  /// Removes a handler; earlier snapshots do not call it any more.
  ///
  /// - Returns: The entry of the handler, to be released outside of the owner's lock; nil if it was already removed.
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
