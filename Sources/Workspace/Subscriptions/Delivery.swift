import GRDB

/// The subscribers, and what each of them has to be told.
///
/// Used on the feed's delivery queue only, which is what makes the unchecked conformance sound.
final class Delivery: @unchecked Sendable {
  private let readers: ReaderPool
  private var subscribers: [UInt64: any Subscriber] = [:]
  private var types: [ObjectIdentifier: SubscriptionIndex] = [:]
  /// Who has to look at the database; stays until that has succeeded.
  private var unread: Set<UInt64> = []
  private var due: Set<UInt64> = []

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
      due.remove(number)
      return subscriber.type
    }
  }

  func note(_ record: CommitRecord, number: UInt64) {
    if record.isUnknown { unread.formUnion(subscribers.keys) }
    for type in record.types {
      if let index = types[type] { unread.formUnion(index.all) }
    }
    for (type, changes) in record.rows {
      guard var index = types.removeValue(forKey: type) else { continue }
      defer { types[type] = index }
      var last: [UInt64: RowChange] = [:]
      var results: Set<UInt64> = []
      for change in changes {
        for subscriber in index.subscribers(of: change.key) { last[subscriber] = change }
        if let row = change.old { index.findResults(for: row, into: &results) }
        if let row = change.new { index.findResults(for: row, into: &results) }
      }
      unread.formUnion(results)
      for (subscriber, change) in last {
        switch subscribers[subscriber]?.apply(change, number: number) {
        case .reading: unread.insert(subscriber)
        case .delivery: due.insert(subscriber)
        case .nothing: due.remove(subscriber)
        case nil: break
        }
      }
    }
  }

  /// Has everybody who needs it look at one state of the database.
  func read(done: () -> UInt64, begun: () -> UInt64) {
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
        guard let need = try? subscribers[number]?.read(db, range) else { continue }
        unread.remove(number)
        if case .delivery = need { due.insert(number) } else { due.remove(number) }
      }
    }
  }

  /// Calls the handlers in the order of subscription. Returns the types of the subscriptions that have ended with that.
  func call() -> [ObjectIdentifier] {
    let numbers = due.sorted()
    due = []
    var ended: [UInt64] = []
    for number in numbers {
      guard let subscriber = subscribers[number], !subscriber.mark.isCancelled else { continue }
      if subscriber.deliver() { ended.append(number) }
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
