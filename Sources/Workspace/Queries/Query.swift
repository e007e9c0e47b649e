/// A query: which objects, in which order, and how many of them.
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

  /// The statement that selects all columns of the objects.
  var text: QueryText {
    let statements = T.schema.core.statements
    var text = QueryText(statements.selection)
    addCondition(to: &text)
    addOrder(to: &text, last: statements.key)
    addLimit(to: &text)
    return text
  }

  func addCondition(to text: inout QueryText) {
    guard let condition else { return }
    text.sql += " WHERE "
    text.add(condition.node.asked)
  }

  /// Adds the order, followed by these columns unless the order already contains them: repeating one would make the planner sort.
  func addOrder(to text: inout QueryText, last columns: [String]) {
    var start = " ORDER BY "
    for key in ordering {
      text.sql += start
      start = ", "
      text.add(key.node)
      text.sql += key.isDescending ? " DESC" : " ASC"
      // Written only if it differs from SQLite's own order, which is that of an index.
      let isUsual = (key.missing == .last) == key.isDescending
      if !isUsual { text.sql += " \(key.missing.rawValue)" }
    }
    for column in columns where !ordering.contains(where: { $0.isBy(column) }) {
      text.sql += start + column.quoted
      start = ", "
    }
  }

  func addLimit(to text: inout QueryText) {
    if limit == .noLimit && offset <= 0 { return }
    text.sql += " LIMIT ? OFFSET ?"
    text.values.append(.int(limit.count))
    text.values.append(.int(Int64(max(0, offset))))
  }
}
