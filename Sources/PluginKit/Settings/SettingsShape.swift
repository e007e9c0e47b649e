import OrderedCollections

/// The settings of a ``PluginSettings`` type, read from the ``Setting`` properties of a value created by `init()`.
struct SettingsShape<Settings: PluginSettings>: Sendable {
  /// The settings by property name, in the order of their declaration.
  private let settings: OrderedDictionary<String, any AnySetting>

  init(_ type: Settings.Type = Settings.self) {
    var settings: OrderedDictionary<String, any AnySetting> = [:]
    for child in Mirror(reflecting: Settings()).children {
      // The storage of a wrapped property has the property's name with a leading underscore.
      guard let label = child.label, label.hasPrefix("_"), let setting = child.value as? any AnySetting else {
        continue
      }
      settings[String(label.dropFirst())] = setting
    }
    self.settings = settings
  }

  /// Returns the settings as the contract describes them.
  ///
  /// - Throws: An error if a default cannot be encoded as JSON.
  func description() throws -> [JSONValue] {
    try settings.map { property, setting in
      var members: OrderedDictionary<String, JSONValue> = [
        "name": .string(Self.settingName(of: property)),
        "type": .string(setting.valueType.description),
        "summary": .string(setting.summary),
      ]
      if setting.isRequired { members["required"] = true }
      members["default"] = try setting.defaultValue()
      members["values"] = setting.allowedValues.map { .array($0) }
      return .object(members)
    }
  }

  /// Returns the problems of the declaration, as sentences: properties that are not settings, and names that the contract does not allow.
  func problems() -> [String] {
    var problems = settings.keys.filter { !Self.isName(Self.settingName(of: $0)) }
      .map { "the setting '\(Self.settingName(of: $0))' of \(Settings.self) must be named like [a-z][a-z0-9_]*" }
    do {
      let decoder = SettingsDecoder(members: [:], settings: settings, isProbe: true)
      _ = try Settings(from: decoder)
      for property in settings.keys where !decoder.asked.contains(property) {
        problems.append("the property '\(property)' of \(Settings.self) is a setting, but is not decoded")
      }
    } catch let problem as PluginProblem {
      problems.append(problem.message)
    } catch {
      problems.append("\(Settings.self) cannot be decoded: \(error)")
    }
    return problems
  }

  func decode(_ value: JSONValue) throws -> Settings {
    guard case .object(let members) = value else {
      throw PluginProblem("invalid-settings", "the settings must be an object, found \(value.kind)")
    }
    let names = settings.keys.map { Self.settingName(of: $0) }
    if let unknown = members.keys.first(where: { !names.contains($0) }) {
      let known = names.isEmpty ? "there are no settings" : "the settings are \(names.joined(separator: ", "))"
      throw PluginProblem("invalid-settings", "unknown setting '\(unknown)'; \(known)")
    }
    do {
      let decoded = try Settings(from: SettingsDecoder(members: members, settings: settings, isProbe: false))
      try decoded.validate()
      return decoded
    } catch let error as DecodingError {
      throw PluginProblem("invalid-settings", error.sentence)
    }
  }

  /// Returns a setting's name: `catchUp` becomes `catch_up`, `URLOfFeed` becomes `url_of_feed`.
  static func settingName(of property: String) -> String {
    let scalars = Array(property.unicodeScalars)
    var name = ""
    for (index, scalar) in scalars.enumerated() {
      guard ("A"..."Z").contains(scalar) else {
        name.unicodeScalars.append(scalar)
        continue
      }
      let followsLower = index > 0 && !("A"..."Z").contains(scalars[index - 1]) && scalars[index - 1] != "_"
      let endsWord =
        index > 0 && index + 1 < scalars.count && ("a"..."z").contains(scalars[index + 1]) && scalars[index - 1] != "_"
      if followsLower || endsWord { name += "_" }
      name += String(scalar).lowercased()
    }
    return name
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): index > 0
      default: false
      }
    } && !text.isEmpty
  }
}

/// Fills the ``Setting`` properties of one value. A class because it records which properties were requested.
private final class SettingsDecoder: Decoder {
  let members: JSONMembers
  let settings: OrderedDictionary<String, any AnySetting>
  /// Whether only the requested properties matter, so that nothing can be missing.
  let isProbe: Bool
  var asked: Set<String> = []

  init(members: JSONMembers, settings: OrderedDictionary<String, any AnySetting>, isProbe: Bool) {
    self.members = members
    self.settings = settings
    self.isProbe = isProbe
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(SettingsContainer<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notObject() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notObject() }

  private func notObject() -> PluginProblem {
    PluginProblem("invalid-plugin", "settings must use the synthesized decoding of their properties")
  }
}

private struct SettingsContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: SettingsDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { throw notSetting(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard type is any AnySetting.Type else { throw notSetting(key) }
    guard let setting = decoder.settings[key.stringValue] else {
      throw PluginProblem(
        "invalid-plugin",
        "the settings have no property '\(key.stringValue)'; a setting cannot be renamed by coding keys")
    }
    decoder.asked.insert(key.stringValue)
    let name = SettingsShape<NoSettings>.settingName(of: key.stringValue)
    var filled: any AnySetting = setting
    if let value = decoder.members[name] {
      try check(value, of: setting, name)
      do {
        filled = try setting.filled(with: ValueDecoder(value, path: [ValueKey(name)]))
      } catch let error as DecodingError {
        throw PluginProblem("invalid-settings", error.sentence, detail: ["setting": .string(name)])
      }
    } else if setting.isRequired, !decoder.isProbe {
      throw PluginProblem("invalid-settings", "the setting '\(name)' is missing")
    }
    guard let filled = filled as? T else { throw notSetting(key) }
    return filled
  }

  private func check(_ value: JSONValue, of setting: any AnySetting, _ name: String) throws {
    guard let allowed = setting.allowedValues, !value.isNull,
      let refusal = AllowedValues(allowed).refusal(of: value)
    else { return }
    throw PluginProblem("invalid-settings", setting: name, refusal)
  }

  private func notSetting(_ key: Key) -> PluginProblem {
    PluginProblem(
      "invalid-plugin",
      "the property '\(key.stringValue)' of the settings is not a setting; write @Setting(\"…\") before it")
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { throw notSetting(key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { throw notSetting(key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { throw notSetting(key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { throw notSetting(key) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw notSetting(key) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw notSetting(key) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notSetting(key) }
  func superDecoder() throws -> any Decoder {
    throw PluginProblem("invalid-plugin", "settings cannot be classes")
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw notSetting(key) }
}
