import SQLite

/// The subscribers, and what each of them has to be told.
///
/// Used on the feed's delivery queue only, which is what makes the unchecked conformance sound.
final class Delivery: @unchecked Sendable {
  private let readers: ReaderPool
  private var subscribers: [UInt64: any Subscriber] = [:]
  private var types: [ObjectIdentifier: SubscriptionIndex] = [:]
  /// Who has to look at the database; stays until that has succeeded.
  private var unread: Set<UInt64> = []
  /// Whose handler is to be called, as far as they are still due then.
  private var due: [any Subscriber] = []

  init(readers: ReaderPool) {
    self.readers = readers
  }

  func add(_ subscriber: any Subscriber) {
    let number = subscriber.mark.number
    subscribers[number] = subscriber
    types[subscriber.type, default: SubscriptionIndex()].insert(subscriber)
    // What it was given may be older than the last commit.
    unread.insert(number)
  }

  /// Returns the type of each that was removed.
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

  /// Has everybody who needs it look at one state of the database.
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
      // The state is that of the first read, so this is it.
      guard let statement = try? RowStatement("SELECT 1 FROM sqlite_schema LIMIT 1", in: db) else { return }
      let hasBegun = (try? statement.step()) != nil
      statement.reset()
      guard hasBegun else { return }
      let range = ReadingRange(certain: certain, possible: begun())
      for number in unread.sorted() {
        // What cannot be read now is tried again after the next change.
        guard let subscriber = subscribers[number], let need = try? subscriber.read(db, range) else { continue }
        unread.remove(number)
        take(need, for: subscriber)
      }
    }
  }

  /// Calls the handlers in the order of subscription. Returns the types of the subscriptions that have ended with that.
  func call() -> [ObjectIdentifier] {
    let called = due.filter(\.isDue).sorted { $0.mark.number < $1.mark.number }
    due = []
    var ended: [UInt64] = []
    for subscriber in called {
      // One that was due, and then not, and then due again is there twice.
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
