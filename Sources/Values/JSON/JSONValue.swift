import OrderedCollections

/// Any JSON value: the type of results, requirements, params and contexts.
///
/// Objects keep their members in the order in which they were written. Whole numbers that fit 64 bits are passed on
/// exactly; expressions compare numbers as `Double`, as GitHub Actions does.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(OrderedDictionary<String, JSONValue>)
}
