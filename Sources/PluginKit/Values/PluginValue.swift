/// A Swift type whose values cross the boundary: a setting, a requirement, a result, a state.
///
/// Strings, booleans, numbers, `Duration`, `Timestamp`, ``ByteCount``, `JSONValue`, arrays, dictionaries and optionals
/// of these are. A struct of such properties becomes one by saying so, and so does an enumeration of strings:
///
/// ```swift
/// struct Count: PluginValue {              // {lines: int, longest?: string}
///   var lines: Int
///   var longest: String?
/// }
///
/// enum Order: String, CaseIterable, PluginValue { case ascending, descending }
/// ```
///
/// The type in the pipeline language is found out by decoding one from nothing, so that it always agrees with what the
/// synthesized `Codable` does. A type that decodes itself in another way is `json`, unless it says ``valueType`` itself.
public protocol PluginValue: Codable, Sendable {
  /// The type in the pipeline language.
  static var valueType: ValueType { get }
  /// The only values there are, as JSON; nil where any value of the type will do.
  static var allowedValues: [JSONValue]? { get }
  /// Any value, for finding out the type of what contains one; nil, the default, where the kit finds one itself.
  static var exampleValue: Self? { get }
}

extension PluginValue {
  /// What the type's `Decodable` asks for; `json` where that cannot be found out.
  public static var valueType: ValueType { TypeProbe.valueType(of: Self.self) }
  /// Nil: any value of the type will do.
  public static var allowedValues: [JSONValue]? { nil }
  /// Nil.
  public static var exampleValue: Self? { nil }
}

extension PluginValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  /// A string.
  public static var valueType: ValueType { .string }
  /// The raw values of all cases.
  public static var allowedValues: [JSONValue]? { allCases.map { .string($0.rawValue) } }
  /// The first case.
  public static var exampleValue: Self? { allCases.first }
}

extension String: PluginValue {
  /// `string`
  public static var valueType: ValueType { .string }
}

extension Bool: PluginValue {
  /// `bool`
  public static var valueType: ValueType { .bool }
}

extension Int: PluginValue {
  /// `int`
  public static var valueType: ValueType { .int }
}

extension Int64: PluginValue {
  /// `int`
  public static var valueType: ValueType { .int }
}

extension Double: PluginValue {
  /// `number`
  public static var valueType: ValueType { .number }
}

extension Duration: PluginValue {
  /// `duration`
  public static var valueType: ValueType { .duration }
  /// No time.
  public static var exampleValue: Duration? { .zero }
}

extension Optional: PluginValue where Wrapped: PluginValue {
  /// The type of what it may hold.
  public static var valueType: ValueType { Wrapped.valueType }
  /// Those of what it may hold.
  public static var allowedValues: [JSONValue]? { Wrapped.allowedValues }
}

extension Array: PluginValue where Element: PluginValue {
  /// A list of the elements' type.
  public static var valueType: ValueType { .list(Element.valueType) }
  /// None.
  public static var exampleValue: [Element]? { [] }
}

extension Dictionary: PluginValue where Key == String, Value: PluginValue {
  /// `json`: the pipeline language has no type for members of any name.
  public static var valueType: ValueType { .json }
  /// Empty.
  public static var exampleValue: [String: Value]? { [:] }
}
