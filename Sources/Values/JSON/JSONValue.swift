import OrderedCollections

/// Any JSON value: what results, requirements, params and contexts are made of.
///
/// Objects keep the order in which their members were written. Whole numbers that fit 64 bits stay exact when they are handed
/// on; expressions compute with all numbers as `Double`, as GitHub Actions does.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(OrderedDictionary<String, JSONValue>)
}
