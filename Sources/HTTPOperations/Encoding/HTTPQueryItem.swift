/// One parameter of a query or of a form.
public struct HTTPQueryItem: Sendable, Hashable {
  /// The name, as it is meant.
  public var name: String
  /// The value, as it is meant; nil writes the name alone, without `=`.
  public var value: String?

  /// A parameter.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }

  /// The parameter as it stands in a URL.
  public var encoded: String {
    let name = PercentEncoding.encode(name)
    return value.map { "\(name)=\(PercentEncoding.encode($0))" } ?? name
  }
}
