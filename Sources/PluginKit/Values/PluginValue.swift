/// A Swift type whose values cross the contract: a setting, a requirement, a result or a state.
///
/// Strings, booleans, numbers, `Duration`, `Timestamp`, ``ByteCount`` and `JSONValue` conform, and so do arrays, dictionaries and optionals of
/// these. A struct with such properties conforms by declaration, and so does an enumeration of strings:
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
/// The type in the pipeline language is determined by a trial decoding, so it always agrees with the synthesized `Codable`. A type that decodes
/// itself in another way is `json`, unless it declares ``valueType`` itself.
public protocol PluginValue: Codable, Sendable {
  /// The type in the pipeline language.
  static var valueType: ValueType { get }
  /// The only allowed values, as JSON; nil if any value of the type is allowed.
  static var allowedValues: [JSONValue]? { get }
  /// Any value, for determining the types that contain one; nil, the default, if the kit can create one itself.
  static var exampleValue: Self? { get }
}

extension PluginValue {
  /// The type that the `Decodable` conformance decodes; `json` if that cannot be determined.
  public static var valueType: ValueType { TypeProbe.valueType(of: Self.self) }
  /// Nil: any value of the type is allowed.
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
  /// Zero.
  public static var exampleValue: Duration? { .zero }
}

extension Optional: PluginValue where Wrapped: PluginValue {
  /// The type of the wrapped value.
  public static var valueType: ValueType { Wrapped.valueType }
  /// The allowed values of the wrapped type.
  public static var allowedValues: [JSONValue]? { Wrapped.allowedValues }
}

extension Array: PluginValue where Element: PluginValue {
  /// A list of the elements' type.
  public static var valueType: ValueType { .list(Element.valueType) }
  /// An empty list.
  public static var exampleValue: [Element]? { [] }
}

extension Dictionary: PluginValue where Key == String, Value: PluginValue {
  /// `json`: the pipeline language has no type for arbitrary members.
  public static var valueType: ValueType { .json }
  /// An empty dictionary.
  public static var exampleValue: [String: Value]? { [:] }
}
