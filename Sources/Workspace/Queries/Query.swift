/// What a fetch asks for: which objects, in which order, and how many of them.
@usableFromInline
struct Query<T: Storable>: Sendable {
  var condition: Condition<T>?
  var ordering: [Ordering<T>]
  var limit: Limit
  var offset: Int

  @usableFromInline
  init(condition: Condition<T>?, ordering: [Ordering<T>] = [], limit: Limit = .noLimit, offset: Int = 0) {
    self.condition = condition
    self.ordering = ordering
    self.limit = limit
    self.offset = offset
  }

  /// The statement that returns all columns of the objects.
  var text: QueryText {
    let statements = T.schema.core.statements
    var text = QueryText(statements.selection)
    addCondition(to: &text)
    text.sql += " ORDER BY "
    // The key comes last, unless the order has it already: a second time would make the planner sort.
    let rest = statements.key.filter { name in !ordering.contains { $0.isBy(name) } }
    addOrdering(to: &text, isWhole: rest.isEmpty)
    text.sql += rest.map(\.quoted).joined(separator: ", ")
    addLimit(to: &text)
    return text
  }

  func addCondition(to text: inout QueryText) {
    guard let condition else { return }
    text.sql += " WHERE "
    text.add(condition.node.asked)
  }

  /// Each key with a comma behind it, but for the last one of a whole order.
  func addOrdering(to text: inout QueryText, isWhole: Bool = false) {
    for (place, key) in ordering.enumerated() {
      text.add(key.node)
      text.sql += key.isDescending ? " DESC" : " ASC"
      // Said only where it is not SQLite's own order, which an index has.
      let isUsual = (key.missing == .last) == key.isDescending
      if !isUsual { text.sql += " \(key.missing.rawValue)" }
      if !isWhole || place < ordering.count - 1 { text.sql += ", " }
    }
  }

  func addLimit(to text: inout QueryText) {
    if limit == .noLimit && offset <= 0 { return }
    text.sql += " LIMIT ? OFFSET ?"
    text.values.append(.int(limit.count))
    text.values.append(.int(Int64(max(0, offset))))
  }
}
