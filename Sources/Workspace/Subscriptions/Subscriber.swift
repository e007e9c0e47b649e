import GRDB

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

/// Somebody who is told of changes. Everything but `mark` and `type` is used on the feed's delivery queue only.
protocol Subscriber: AnyObject, Sendable {
  var mark: SubscriberMark { get }
  var type: ObjectIdentifier { get }
  /// The object it is about; nil if it is about a result.
  var key: ObjectKey? { get }
  /// Which rows may matter to a result.
  var range: RowRange { get }
  /// Takes note of a commit's last change of the object.
  func apply(_ change: RowChange, number: UInt64) -> SubscriberNeed
  /// Takes note of the present state.
  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed
  /// Calls the handler. Returns whether it was the last time.
  func deliver() -> Bool
  /// The workspace is shut down.
  func end()
}

/// Follows one object.
///
/// Used on the feed's delivery queue only, which is what makes the unchecked conformance sound.
final class ObjectSubscriber<T: Storable>: Subscriber, @unchecked Sendable {
  let mark: SubscriberMark
  let type = ObjectIdentifier(T.self)
  let key: ObjectKey?
  let range = RowRange.nothing
  private let objectKey: ObjectKey
  private let handler: @Sendable (SubscribedObject<T>) -> Void
  private let whenEnded: @Sendable () -> Void
  /// What the subscriber knows.
  private var known: [SQLValue]
  private var pending: [SQLValue]?
  private var isDeleted = false
  private var seen: ReadingRange

  init(
    _ row: [SQLValue], since seen: UInt64, mark: SubscriberMark,
    handler: @escaping @Sendable (SubscribedObject<T>) -> Void, whenEnded: @escaping @Sendable () -> Void
  ) {
    self.mark = mark
    objectKey = T.schema.key(of: row)
    key = objectKey
    known = row
    self.handler = handler
    self.whenEnded = whenEnded
    self.seen = ReadingRange(certain: seen, possible: seen)
  }

  func apply(_ change: RowChange, number: UInt64) -> SubscriberNeed {
    if isDeleted || number <= seen.certain { return .nothing }
    // A reading may have seen this change, or a later one: only another reading tells.
    if number <= seen.possible { return .reading }
    return take(change.new)
  }

  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed {
    if isDeleted { return .delivery }
    let statement = try RowStatement(T.schema.statements.select, in: db)
    defer { statement.reset() }
    try statement.bind(objectKey.values)
    let row = try statement.step() ? statement.row.values(T.schema.table.columns.count) : nil
    seen = range
    return take(row)
  }

  private func take(_ row: [SQLValue]?) -> SubscriberNeed {
    guard let row else {
      isDeleted = true
      pending = nil
      return .delivery
    }
    pending = row.isSame(as: known) ? nil : row
    return pending == nil ? .nothing : .delivery
  }

  func deliver() -> Bool {
    if isDeleted {
      handler(.deleted)
      whenEnded()
      return true
    }
    guard let row = pending else { return false }
    pending = nil
    // A row that another version wrote and this one cannot read is not told; the next change of it is.
    guard let object = try? T.schema.decodeRow(.values(row)) else { return false }
    known = row
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
  let key: ObjectKey? = nil
  let range: RowRange
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
    range = RowRange(of: result.query.condition?.node, in: T.schema.table)
  }

  /// A result is always read again: what is found with a limit depends on rows that have not changed.
  func apply(_ change: RowChange, number: UInt64) -> SubscriberNeed { .reading }

  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed {
    let objects = try text.rows(in: db, T.schema.decodeRow)
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
    return zip(objects, other.objects).allSatisfy { left, right in
      guard let left = try? Element.schema.encodeRow(left), let right = try? Element.schema.encodeRow(right) else {
        return false
      }
      return left.isSame(as: right)
    }
  }
}
