/// An expression that a query computes for each row: a field, or a combination of fields.
public class QueryExpression<Root, Value: Sendable>: @unchecked Sendable {
  // @unchecked: it has only constants, and so does its only subclass, `Field`.

  let node: QueryNode
  @usableFromInline let decode: @Sendable (SQLValue) -> Value?

  @usableFromInline
  init(node: QueryNode, decode: @escaping @Sendable (SQLValue) -> Value?) {
    self.node = node
    self.decode = decode
  }
}

/// A condition that selects objects: a boolean expression over fields that is true, false or unknown for each object.
///
/// `==`, `!=` and `isNil` are never unknown, and treat missing values as Swift does: `T.exitCode != 0` is true if there is no exit code. Everything else
/// is unknown if a value is missing, as in SQL. The negation of unknown is unknown, and unknown does not select the object.
public struct Condition<Root>: Sendable {
  let node: QueryNode
}

extension Condition {
  /// Returns a condition in SQL, for what fields cannot express. Column names are prefixed with their table, values are question marks. Subscribers cannot
  /// tell which rows matter to it: a result with such a condition is read again after every change of its type.
  package static func sql(_ text: String, _ values: [SQLValue] = []) -> Condition {
    Condition(node: .sql(text, values))
  }
}

/// A node of a query expression. Values are never part of a statement's SQL.
@usableFromInline
indirect enum QueryNode: Sendable {
  case column(String)
  case value(SQLValue)
  case binary(String, QueryNode, QueryNode)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  case among(QueryNode, [SQLValue])
  case between(QueryNode, QueryNode, QueryNode)
  case isNull(QueryNode)
  /// The text begins with the prefix; the second string is the least text after all texts with that prefix, if there is one.
  case hasPrefix(QueryNode, String, upTo: String?)
  case function(String, [QueryNode])
  case countAll
  /// A value of another table, for rows of the named table.
  case lookup(ColumnLookup, of: @Sendable () -> String)
  /// A part in SQL, with the values of its parameters.
  case sql(String, [SQLValue])
  /// The expression contains a value that no column can store.
  case unsuitable(String)

  /// The node as the condition of a query, which does not select unknown either: an equality with a value becomes SQL's own, so that the planner knows
  /// that the column is not missing and may use an index without missing values.
  var asked: QueryNode {
    switch self {
    case .and(let left, let right): .and(left.asked, right.asked)
    case .or(let left, let right): .or(left.asked, right.asked)
    case .binary("IS", let left, .value(let value)) where value != .null: .binary("=", left, .value(value))
    default: self
    }
  }

  static func value(of value: some ColumnValue) -> QueryNode {
    do {
      return .value(try value.columnValue())
    } catch {
      return .unsuitable(error.reason)
    }
  }
}

/// The SQL of a statement and the values of its parameters.
struct QueryText {
  var sql: String
  var values: [SQLValue] = []
  /// Whether the number of parameters depends on the query's values.
  var isVariable = false
  /// Why the query cannot be run.
  var fault: String?

  init(_ sql: String) {
    self.sql = sql
  }

  mutating func add(_ node: QueryNode) {
    switch node {
    case .column(let name): sql += name.quoted
    case .value(let value): add(value)
    case .binary(let sign, let left, let right): add("(", left, " \(sign) ", right, ")")
    case .and(let left, let right): add("(", left, " AND ", right, ")")
    case .or(let left, let right): add("(", left, " OR ", right, ")")
    case .not(let operand): add("(NOT ", operand, ")")
    case .among(let operand, let choices):
      isVariable = true
      add("(", operand, " IN (")
      for (place, choice) in choices.enumerated() {
        if place > 0 { sql += ", " }
        add(choice)
      }
      sql += "))"
    case .between(let operand, let low, let high):
      add("(", operand, " BETWEEN ", low, " AND ")
      add(high)
      sql += ")"
    case .isNull(let operand): add("(", operand, " IS NULL)")
    case .hasPrefix(let operand, let prefix, let end):
      add("(", operand, " >= ")
      add(.text(prefix))
      if let end {
        add(" AND ", operand, " < ")
        add(.text(end))
      }
      sql += ")"
    case .function(let name, let operands):
      sql += name + "("
      for (place, operand) in operands.enumerated() {
        if place > 0 { sql += ", " }
        add(operand)
      }
      sql += ")"
    case .countAll: sql += "count(*)"
    case .lookup(let lookup, let table): sql += lookup.expression(in: table())
    case .sql(let text, let values):
      isVariable = true
      sql += "(\(text))"
      self.values += values
    case .unsuitable(let reason):
      fault = fault ?? reason
      sql += "NULL"
    }
  }

  private mutating func add(_ value: SQLValue) {
    sql += "?"
    values.append(value)
  }

  private mutating func add(
    _ start: String, _ left: QueryNode, _ sign: String, _ right: QueryNode? = nil, _ end: String = ""
  ) {
    sql += start
    add(left)
    sql += sign
    if let right { add(right) }
    sql += end
  }
}
