import SQLite

/// Which commits a reading is sure to include, and which it may include.
struct ReadingRange {
  let certain: UInt64
  let possible: UInt64
}

/// What a subscriber needs after it has heard of a change.
enum SubscriberNeed {
  case nothing
  /// To look at the database.
  case reading
  /// To have its handler called.
  case delivery
}

/// Somebody who is told of changes. Everything but `mark`, `type` and `key` is used on the feed's delivery queue only.
protocol Subscriber: AnyObject, Sendable {
  var mark: SubscriberMark { get }
  /// Where the last change of the object is among those that are being noted; -1 if there is none. The delivery's own.
  var lastPlace: Int { get set }
  /// Whether the handler is to be called. The delivery's own.
  var isDue: Bool { get set }
  var type: ObjectIdentifier { get }
  /// The object it is about; nil if it is about a result.
  var key: ObjectKey? { get }
  /// Of which group of objects of its type it wants to hear; nil: of all.
  var group: String? { get }
  /// Whether it has to look at the rows to know what has changed.
  var needsRows: Bool { get }
  /// Which rows may matter to a result: those that are in all of these ranges.
  var ranges: [RowRange] { get }
  /// Takes note of the last of a commit's changes of the object, which is at `place`. They are of the subscriber's type.
  func apply(_ changes: any ObjectChanges, at place: Int, number: UInt64) -> SubscriberNeed
  /// Takes note of the present state.
  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed
  /// Calls the handler. Returns whether it was the last time.
  func deliver() -> Bool
  /// The workspace is shut down.
  func end()
}

extension Subscriber {
  var group: String? { nil }
}

/// Follows one object.
///
/// Used on the feed's delivery queue only, which is what makes the unchecked conformance sound.
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
  /// What the subscriber knows.
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
    // Another object that has got the key meanwhile does not undo the end, of which nobody may have been told yet.
    if isDeleted { return .delivery }
    if number <= seen.certain { return .nothing }
    // A reading may have seen this change, or a later one: only another reading tells.
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
      // What another version wrote and this one cannot read is not told; the next change of it is.
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

/// Follows a result.
///
/// Used on the feed's delivery queue only, which is what makes the unchecked conformance sound.
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
  /// What the subscriber knows.
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

  /// A result is always read again: what is found with a limit depends on rows that have not changed.
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
  /// Whether both have the same rows in the same order. An object's own `==` is not asked: it may leave fields out.
  func hasSameRows(as other: FetchedResult) -> Bool {
    guard count == other.count else { return false }
    let core = Element.schema.core
    return zip(objects, other.objects).allSatisfy { core.areSame($0, $1) }
  }
}
