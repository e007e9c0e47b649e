import SQLite

/// A subscriber to a type, or to a group of its objects: it is notified that something may have changed, and nothing is read for it.
///
/// Used only on the feed's delivery queue, which makes the unchecked conformance sound.
final class TypeSubscriber: Subscriber, @unchecked Sendable {
  let mark: SubscriberMark
  let type: ObjectIdentifier
  var lastPlace = -1
  var isDue = false
  let key: ObjectKey? = nil
  let ranges: [RowRange] = []
  let needsRows = false
  let group: String?
  private let handler: @Sendable () -> Void

  init(_ type: ObjectIdentifier, in group: String?, mark: SubscriberMark, handler: @escaping @Sendable () -> Void) {
    self.type = type
    self.group = group
    self.mark = mark
    self.handler = handler
  }

  func apply(_ changes: any ObjectChanges, at place: Int, number: UInt64) -> SubscriberNeed { .delivery }

  func read(_ db: Database, _ range: ReadingRange) throws -> SubscriberNeed { .delivery }

  func deliver() -> Bool {
    handler()
    return false
  }

  func end() {}
}
