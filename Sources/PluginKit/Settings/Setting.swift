/// One setting: a member of `with:` in a pipeline file. See ``PluginSettings``.
///
/// - `@Setting("How often") var every: Duration` is required;
/// - `@Setting("How often") var every: Duration = .seconds(60)` has a default, which the description shows;
/// - `@Setting("At most") var limit: Int?` is optional.
///
/// The setting is named after the property, in lower case with underscores: `catchUp` becomes `catch_up`.
@propertyWrapper public struct Setting<Value: PluginValue>: Sendable, Decodable {
  private enum Content {
    /// The value must come from the pipeline file.
    case required
    case value(Value)
  }

  /// A one-line summary.
  public let summary: String
  private var content: Content

  /// Creates a setting without a default: it is required or, if the property is optional, nil.
  ///
  /// - Parameter summary: Its meaning, in one line.
  public init(_ summary: String) {
    self.summary = summary
    if let optional = Value.self as? any OptionalValue.Type, let none = optional.missing as? Value {
      content = .value(none)
    } else {
      content = .required
    }
  }

  /// Creates a setting with a default.
  ///
  /// - Parameters:
  ///   - value: The default.
  ///   - summary: Its meaning, in one line.
  public init(wrappedValue value: Value, _ summary: String) {
    self.summary = summary
    content = .value(value)
  }

  /// The value. Settings that the kit passes to a plugin always have one. A required setting of a value created by `init()` has none until it is
  /// set, and reading it before is a programming error.
  public var wrappedValue: Value {
    get {
      guard case .value(let value) = content else {
        preconditionFailure("the setting “\(summary)” was read before it was set")
      }
      return value
    }
    set { content = .value(newValue) }
  }

  /// Throws: the kit decodes settings as part of their ``PluginSettings``.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "only PluginKit can decode settings"))
  }
}

/// A setting of any type, for describing and decoding it.
protocol AnySetting: Sendable {
  var summary: String { get }
  var valueType: ValueType { get }
  var allowedValues: [JSONValue]? { get }
  var isRequired: Bool { get }
  /// Returns the default as JSON; nil if there is none, or if it is nil.
  func defaultValue() throws -> JSONValue?
  /// Returns the same setting with the value from the file.
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
