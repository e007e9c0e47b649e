/// A parameter of a query or a form.
public struct HTTPQueryItem: Sendable, Hashable {
  /// The name, not encoded.
  public var name: String
  /// The value, not encoded; nil encodes the name alone, without `=`.
  public var value: String?

  /// Creates a parameter.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }

  /// The parameter as encoded in a URL.
  public var encoded: String {
    let name = PercentEncoding.encode(name)
    return value.map { "\(name)=\(PercentEncoding.encode($0))" } ?? name
  }
}
