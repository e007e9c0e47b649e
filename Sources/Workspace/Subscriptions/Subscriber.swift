import SQLite

/// The commits that a reading certainly includes, and those that it may include.
struct ReadingRange {
  let certain: UInt64
  let possible: UInt64
}

/// What a subscriber needs after it was notified of a change.
enum SubscriberNeed {
  case nothing
  /// It must read the database.
  case reading
  /// Its handler must be called.
  case delivery
}

/// A subscriber to changes. Everything but `mark`, `type` and `key` is used only on the feed's delivery queue.
protocol Subscriber: AnyObject, Sendable {
  var mark: SubscriberMark { get }
  /// The index of the object's last change among those being noted; -1 if there is none. Belongs to the delivery.
  var lastPlace: Int { get set }
  /// Whether the handler is to be called. Belongs to the delivery.
  var isDue: Bool { get set }
  var type: ObjectIdentifier { get }
  /// The key of the subscribed object; nil for a result.
  var key: ObjectKey? { get }
  /// The group of objects whose changes it is notified of; nil for all objects.
  var group: String? { get }
  /// Whether it must read the rows to know what has changed.
  var needsRows: Bool { get }
  /// The rows that may matter to a result: those in all of these ranges.
  var ranges: [RowRange] { get }
  /// Notes the last of a commit's changes of the object, at index `place`. They are of the subscriber's type.
  func apply(_ changes: any ObjectChanges, at place: Int, number: UInt64) -> SubscriberNeed
  /// Reads the current state.
  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed
  /// Calls the handler. Returns whether this was the last time.
  func deliver() -> Bool
  /// Called when the workspace is shut down.
  func end()
}

extension Subscriber {
  var group: String? { nil }
}

/// A subscriber to one object.
///
/// Used only on the feed's delivery queue, which makes the unchecked conformance sound.
final class ObjectSubscriber<T: Storable>: Subscriber, @unchecked Sendable {
  let mark: SubscriberMark
  let type = ObjectIdentifier(T.self)
  var lastPlace = -1
  var isDue = false
  let key: ObjectKey?
  let ranges: [RowRange] = []
  let needsRows = true
  private let handler: @Sendable (SubscribedObject<T>) -> Void
  private let whenEnded: @Sendable () -> Void
  private let core = T.schema.core
  /// The state last delivered.
  private var known: T
  private var pending: T?
  private var isDeleted = false
  private var seen: ReadingRange

  init(
    _ object: T, _ key: ObjectKey, since seen: UInt64, mark: SubscriberMark,
    handler: @escaping @Sendable (SubscribedObject<T>) -> Void, whenEnded: @escaping @Sendable () -> Void
  ) {
    self.mark = mark
    self.key = key
    known = object
    self.handler = handler
    self.whenEnded = whenEnded
    self.seen = ReadingRange(certain: seen, possible: seen)
  }

  func apply(_ changes: any ObjectChanges, at place: Int, number: UInt64) -> SubscriberNeed {
    // Another object that has received the key meanwhile does not undo the deletion, which may not have been delivered yet.
    if isDeleted { return .delivery }
    if number <= seen.certain { return .nothing }
    // A reading may have seen this change, or a later one: only another reading can tell.
    if number <= seen.possible { return .reading }
    return take(unsafeDowncast(changes, to: TypeChanges<T>.self).new[place])
  }

  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed {
    if isDeleted { return .delivery }
    let statement = try RowStatement(core.statements.select, in: db)
    defer { statement.reset() }
    try statement.bind(key?.values ?? [])
    do {
      let object = try statement.step() ? try core.decode(statement.row) : nil
      seen = range
      return take(object)
    } catch is UnreadableRow {
      // A row written by another version that this one cannot read is not reported, but its next change is.
      seen = range
      pending = nil
      return .nothing
    }
  }

  private func take(_ object: T?) -> SubscriberNeed {
    guard let object else {
      isDeleted = true
      pending = nil
      return .delivery
    }
    pending = core.areSame(object, known) ? nil : object
    return pending == nil ? .nothing : .delivery
  }

  func deliver() -> Bool {
    if isDeleted {
      handler(.deleted)
      whenEnded()
      return true
    }
    guard let object = pending else { return false }
    pending = nil
    known = object
    handler(.updated(object))
    return false
  }

  func end() { whenEnded() }
}

/// A subscriber to a result.
///
/// Used only on the feed's delivery queue, which makes the unchecked conformance sound.
final class ResultSubscriber<T: Storable>: Subscriber, @unchecked Sendable {
  let mark: SubscriberMark
  let type = ObjectIdentifier(T.self)
  var lastPlace = -1
  var isDue = false
  let key: ObjectKey? = nil
  let ranges: [RowRange]
  let needsRows = true
  private let handler: @Sendable (FetchedResult<T>) -> Void
  private let whenEnded: @Sendable () -> Void
  private let text: QueryText
  /// The result last delivered.
  private var known: FetchedResult<T>
  private var pending: FetchedResult<T>?

  init(
    _ result: FetchedResult<T>, mark: SubscriberMark, handler: @escaping @Sendable (FetchedResult<T>) -> Void,
    whenEnded: @escaping @Sendable () -> Void
  ) {
    self.mark = mark
    known = result
    self.handler = handler
    self.whenEnded = whenEnded
    text = result.query.text
    ranges = RowRange.all(of: result.query.condition?.node, in: T.schema.table)
  }

  /// A result is always read again: with a limit, it depends on rows that have not changed.
  func apply(_ changes: any ObjectChanges, at place: Int, number: UInt64) -> SubscriberNeed { .reading }

  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed {
    let core = T.schema.core
    let objects = try text.rows(in: db) { try core.decode($0) }
    let result = FetchedResult(objects: objects, query: known.query)
    pending = result.hasSameRows(as: known) ? nil : result
    return pending == nil ? .nothing : .delivery
  }

  func deliver() -> Bool {
    guard let result = pending else { return false }
    pending = nil
    known = result
    handler(result)
    return false
  }

  func end() { whenEnded() }
}

extension FetchedResult {
  /// Returns whether both have the same rows in the same order. Does not use the objects' own `==`, which may ignore fields.
  func hasSameRows(as other: FetchedResult) -> Bool {
    guard count == other.count else { return false }
    let core = Element.schema.core
    return zip(objects, other.objects).allSatisfy { core.areSame($0, $1) }
  }
}
