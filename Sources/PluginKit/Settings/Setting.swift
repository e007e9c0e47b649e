/// One setting: a member of `with:` in a pipeline file. See ``PluginSettings``.
///
/// - `@Setting("How often") var every: Duration` must be given;
/// - `@Setting("How often") var every: Duration = .seconds(60)` has a default, which people see;
/// - `@Setting("At most") var limit: Int?` may be missing.
///
/// The setting is called like the property, in lower case with underscores: `catchUp` is `catch_up`.
@propertyWrapper public struct Setting<Value: PluginValue>: Sendable, Decodable {
  private enum Content {
    /// Must come from the pipeline file.
    case required
    case value(Value)
  }

  /// One line for people.
  public let summary: String
  private var content: Content

  /// A setting without a default: one that must be given, or, where the property is an optional, nil.
  ///
  /// - Parameter summary: What it means, in one line.
  public init(_ summary: String) {
    self.summary = summary
    if let optional = Value.self as? any OptionalValue.Type, let none = optional.missing as? Value {
      content = .value(none)
    } else {
      content = .required
    }
  }

  /// A setting with a default.
  ///
  /// - Parameters:
  ///   - value: The default.
  ///   - summary: What it means, in one line.
  public init(wrappedValue value: Value, _ summary: String) {
    self.summary = summary
    content = .value(value)
  }

  /// The value. Settings that the kit hands to a plugin always have one; one that must be given, in a value that was made
  /// by `init()`, has none until it is set, and reading it then is a programmer's error.
  public var wrappedValue: Value {
    get {
      guard case .value(let value) = content else {
        preconditionFailure("the setting “\(summary)” was read, but nothing has set it")
      }
      return value
    }
    set { content = .value(newValue) }
  }

  /// Throws: settings are decoded by the kit, as part of their ``PluginSettings``.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "settings are decoded by PluginKit alone"))
  }
}

/// A setting of any type, for those who describe and decode them.
protocol AnySetting: Sendable {
  var summary: String { get }
  var valueType: ValueType { get }
  var allowedValues: [JSONValue]? { get }
  var isRequired: Bool { get }
  /// The default as JSON; nil where there is none, or where it is "nothing".
  func defaultValue() throws -> JSONValue?
  /// The same setting with the value that the file gives.
  func filled(with decoder: ValueDecoder) throws -> Self
}

extension Setting: AnySetting {
  var valueType: ValueType { Value.valueType }
  var allowedValues: [JSONValue]? { Value.allowedValues }

  var isRequired: Bool {
    if case .required = content { true } else { false }
  }

  func defaultValue() throws -> JSONValue? {
    guard case .value(let value) = content else { return nil }
    let json = try ValueEncoder.encode(value)
    return json.isNull ? nil : json
  }

  func filled(with decoder: ValueDecoder) throws -> Setting {
    var setting = self
    setting.content = .value(try decoder.decode(Value.self))
    return setting
  }
}

/// A value that may be missing.
private protocol OptionalValue {
  static var missing: Self { get }
}

extension Optional: OptionalValue {
  static var missing: Wrapped? { nil }
}
