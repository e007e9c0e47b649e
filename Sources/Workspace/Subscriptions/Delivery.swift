import SQLite

/// The subscribers, and what must be delivered to each of them.
///
/// Used only on the feed's delivery queue, which makes the unchecked conformance sound.
final class Delivery: @unchecked Sendable {
  private let readers: ReaderPool
  private var subscribers: [UInt64: any Subscriber] = [:]
  private var types: [ObjectIdentifier: SubscriptionIndex] = [:]
  /// The subscribers that must read the database, until they have succeeded.
  private var unread: Set<UInt64> = []
  /// The subscribers whose handlers are to be called, if they are still due then.
  private var due: [any Subscriber] = []

  init(readers: ReaderPool) {
    self.readers = readers
  }

  func add(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    subscribers[number] = subscriber
    types[subscriber.type, default: SubscriptionIndex()].insert(subscriber)
    // Its initial state may be older than the last commit.
    unread.insert(number)
  }

  /// Removes subscribers, and returns the type of each.
  func remove(_ numbers: some Sequence<UInt64>) -> [ObjectIdentifier] {
    numbers.compactMap { number in
      guard let subscriber = subscribers.removeValue(forKey: number) else { return nil }
      types[subscriber.type]?.remove(subscriber)
      unread.remove(number)
      subscriber.isDue = false
      return subscriber.type
    }
  }

  func note(_ record: CommitRecord, number commit: UInt64) {
    if record.isUnknown { unread.formUnion(subscribers.keys) }
    for type in record.types {
      if let index = types[type] { unread.formUnion(index.all) }
    }
    for (type, groups) in record.parts {
      if let index = types[type] { unread.formUnion(index.subscribers(in: groups)) }
    }
    for (type, changes) in record.changes {
      guard var index = types.removeValue(forKey: type) else { continue }
      defer { types[type] = index }
      if index.hasResults {
        var results: Set<UInt64> = []
        changes.forEach { index.findResults(for: $0, into: &results) }
        unread.formUnion(results)
      }
      guard index.hasObjects else { continue }
      // Only the last change of each object counts.
      var concerned: [any Subscriber] = []
      for (place, key) in changes.keys.enumerated() {
        for subscriber in index.subscribers(of: key) {
          if subscriber.lastPlace < 0 { concerned.append(subscriber) }
          subscriber.lastPlace = place
        }
      }
      for subscriber in concerned {
        take(subscriber.apply(changes, at: subscriber.lastPlace, number: commit), for: subscriber)
        subscriber.lastPlace = -1
      }
    }
  }

  private func take(_ need: SubscriberNeed, for subscriber: any Subscriber) {
    switch need {
    case .reading: unread.insert(subscriber.mark.number)
    case .nothing: subscriber.isDue = false
    case .delivery:
      if subscriber.isDue { return }
      subscriber.isDue = true
      due.append(subscriber)
    }
  }

  /// Lets all subscribers that need it read one state of the database.
  func read(done: () -> UInt64, begun: () -> UInt64) {
    for number in unread {
      guard let subscriber = subscribers[number], !subscriber.needsRows else { continue }
      unread.remove(number)
      take(.delivery, for: subscriber)
    }
    guard !unread.isEmpty, let reader = try? readers.borrow() else { return }
    defer { readers.giveBack(reader) }
    let certain = done()
    reader.unsafeRead { db in
      guard (try? db.beginTransaction(.deferred)) != nil else { return }
      defer { try? db.rollback() }
      // A snapshot begins with the first read, which is this one.
      guard let statement = try? RowStatement("SELECT 1 FROM sqlite_schema LIMIT 1", in: db) else { return }
      let hasBegun = (try? statement.step()) != nil
      statement.reset()
      guard hasBegun else { return }
      let range = ReadingRange(certain: certain, possible: begun())
      for number in unread.sorted() {
        // Subscribers that cannot read now retry after the next change.
        guard let subscriber = subscribers[number], let need = try? subscriber.read(db, range) else { continue }
        unread.remove(number)
        take(need, for: subscriber)
      }
    }
  }

  /// Calls the handlers in the order of subscription. Returns the types of the subscriptions that ended with this call.
  func call() -> [ObjectIdentifier] {
    let called = due.filter(\.isDue).sorted { $0.mark.number < $1.mark.number }
    due = []
    var ended: [UInt64] = []
    for subscriber in called {
      // A subscriber that was due, then not due, then due again is listed twice.
      guard subscriber.isDue else { continue }
      subscriber.isDue = false
      if !subscriber.mark.isCancelled, subscriber.deliver() { ended.append(subscriber.mark.number) }
    }
    return remove(ended)
  }

  func endAll() {
    let all = subscribers.sorted { $0.key < $1.key }.map(\.value)
    subscribers = [:]
    types = [:]
    unread = []
    due = []
    for subscriber in all where !subscriber.mark.isCancelled { subscriber.end() }
  }
}
