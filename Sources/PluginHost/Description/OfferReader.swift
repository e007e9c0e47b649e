import Values

extension DescriptionReader {
  /// Reads an element of `offers`; nil if it has a problem, or is of a kind that only newer hosts know.
  mutating func offer(_ json: JSONValue, path: String, plugin: String?) -> PluginOffer? {
    guard case .object = json else {
      note(path, "expected an object, found \(json.kind)", "give {\"kind\": …, \"id\": …, \"summary\": …}")
      return nil
    }
    let before = problems.count
    guard let kind = kind(json, path: path) else { return nil }
    let id = offerID(json, path: path, plugin: plugin)
    let summary = line(json, "summary", example: "Whether it is that time of day", path: "\(path).")
    let settings = settings(json["settings"], path: "\(path).settings")
    let requirement = type(json, "requirement", path: path, kind: kind, of: .operation)
    let result = type(json, "result", path: path, kind: kind, of: .operation)
    let states = type(json, "states", path: path, kind: kind, of: .controller)
    let threads = choice(json, "threads", path: "\(path).", default: PluginOffer.Threads.instance)
    let whenFull = choice(json, "when_full", path: "\(path).", default: PluginOffer.WhenFull.refuse)
    guard problems.count == before, let id, let summary else { return nil }
    return PluginOffer(
      kind: kind, id: id, summary: summary, settings: settings,
      requirement: requirement == ValueType.none ? nil : requirement,
      result: kind == .operation ? result ?? .json : .none, states: kind == .controller ? states ?? .json : .none,
      threads: threads, whenFull: whenFull)
  }

  private mutating func kind(_ json: JSONValue, path: String) -> PluginOffer.Kind? {
    let kinds = PluginOffer.Kind.allCases.map(\.rawValue)
    guard let value = json["kind"] else {
      note("\(path).kind", "it is missing", "use one of \(kinds.joined(separator: ", "))")
      return nil
    }
    if let kind = value.stringValue.flatMap(PluginOffer.Kind.init(rawValue:)) { return kind }
    if isNewer, value.stringValue != nil { return nil }
    note("\(path).kind", "unknown kind \(summary(of: value))", choiceFix(value, among: kinds))
    return nil
  }

  private mutating func offerID(_ json: JSONValue, path: String, plugin: String?) -> String? {
    let form =
      plugin.map { "'\($0)' or '\($0).' and a name" } ?? "the plugin's id, or the id followed by '.' and a name"
    guard let id = string(json, "id", path: "\(path).", fix: "use \(form)") else { return nil }
    let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, parts.allSatisfy({ NameForm.id.fits($0) }), plugin.map({ $0 == first }) ?? true
    else {
      note(
        "\(path).id",
        "\(quoted(id)) is neither the plugin's id nor the id followed by '.' and a name of the form [a-z][a-z0-9-]*",
        "use \(form)")
      return nil
    }
    return id
  }

  /// Reads a type that only offers of the kind `owner` may have; nil if it is missing or invalid.
  private mutating func type(
    _ json: JSONValue, _ member: String, path: String, kind: PluginOffer.Kind, of owner: PluginOffer.Kind
  ) -> ValueType? {
    guard let value = json[member] else { return nil }
    guard kind == owner else {
      let owner = owner == .operation ? "an operation" : "a \(owner.rawValue)"
      note("\(path).\(member)", "only \(owner) can have it", "remove it")
      return nil
    }
    return type(value, path: "\(path).\(member)")
  }

  private mutating func type(_ value: JSONValue, path: String) -> ValueType? {
    guard case .string(let text) = value else {
      note(
        path, "expected a type's notation as a string, found \(summary(of: value))",
        "write it like \"int\" or \"[{tag: string}]\"")
      return nil
    }
    do {
      return try ValueType.parse(text)
    } catch {
      note(
        path, "\(error.message.escapedForMessage) in \(quoted(text))",
        error.fix?.escapedForMessage ?? "write a type of the pipeline language, such as \"int\" or \"[{tag: string}]\"")
      return nil
    }
  }
}

// MARK: Settings

extension DescriptionReader {
  private mutating func settings(_ value: JSONValue?, path: String) -> [PluginSetting] {
    guard let value else { return [] }
    guard case .array(let elements) = value else {
      note(path, "expected a list, found \(value.kind)", "list the settings, or remove it")
      return []
    }
    var seen: [String: Int] = [:]
    var settings: [PluginSetting] = []
    for (index, element) in elements.enumerated() {
      guard let setting = setting(element, path: "\(path)[\(index)]") else { continue }
      if let earlier = seen.updateValue(index, forKey: setting.name) {
        note(
          "\(path)[\(index)].name", "the setting '\(setting.name)' is already described by [\(earlier)]",
          "describe each setting once")
      }
      settings.append(setting)
    }
    return settings
  }

  private mutating func setting(_ json: JSONValue, path: String) -> PluginSetting? {
    guard case .object = json else {
      note(path, "expected an object, found \(json.kind)", "give {\"name\": …, \"type\": …, \"summary\": …}")
      return nil
    }
    let before = problems.count
    let name = name(json, "name", form: .setting, path: "\(path).")
    let summary = line(json, "summary", example: "When the window begins", path: "\(path).")
    let type = settingType(json, path: path)
    let isRequired = flag(json, "required", path: path)
    let values = values(json["values"], of: type, path: "\(path).values")
    let defaultValue = json["default"]
    if let defaultValue, let type {
      check(defaultValue, of: type, among: values, path: "\(path).default")
      if isRequired {
        note("\(path).default", "a required setting cannot have a default", "remove 'required' or 'default'")
      }
    }
    guard problems.count == before, let name, let summary, let type else { return nil }
    return PluginSetting(
      name: name, type: type, summary: summary, isRequired: isRequired, defaultValue: defaultValue, values: values)
  }

  private mutating func settingType(_ json: JSONValue, path: String) -> ValueType? {
    guard let value = json["type"] else {
      note("\(path).type", "it is missing", "write a type of the pipeline language, such as \"string\"")
      return nil
    }
    guard let type = type(value, path: "\(path).type") else { return nil }
    if let other = type.partThatSettingsCannotHave {
      note(
        "\(path).type", "a setting cannot be of the type '\(other)'",
        other == .file
          ? "use 'string' for a path" : "use one of string, int, number, bool, duration, size, timestamp, date, json")
      return nil
    }
    return type
  }

  private mutating func flag(_ json: JSONValue, _ member: String, path: String) -> Bool {
    guard let value = json[member] else { return false }
    if case .bool(let flag) = value { return flag }
    note(
      "\(path).\(member)", "expected true or false, found \(summary(of: value))", "write true or false without quotes")
    return false
  }

  private mutating func values(_ json: JSONValue?, of type: ValueType?, path: String) -> [JSONValue]? {
    guard let json else { return nil }
    guard case .array(let elements) = json, !elements.isEmpty else {
      note(
        path, json == .array([]) ? "it is empty, so no value is allowed" : "expected a list, found \(json.kind)",
        "list the allowed values of the setting, or remove it")
      return nil
    }
    var seen: Set<JSONValue> = []
    for (index, element) in elements.enumerated() {
      if let type { check(element, of: type, among: nil, path: "\(path)[\(index)]") }
      if !seen.insert(element).inserted {
        note("\(path)[\(index)]", "\(summary(of: element)) is already listed", "list each value once")
      }
    }
    return elements
  }

  private mutating func check(_ value: JSONValue, of type: ValueType, among values: [JSONValue]?, path: String) {
    if let mismatch = type.mismatch(of: value) {
      note(path, "it has the wrong type: \(mismatch)", "give \(type.noun)")
    } else if let values, !values.contains(where: { $0.isSameSetting(as: value) }) {
      note(
        path, "\(summary(of: value)) is not among the allowed values",
        "use one of \(values.map(\.text).joined(separator: ", "))")
    }
  }
}

extension ValueType {
  /// The first part that makes no sense in a setting, which is JSON from a file: the file of an operation, or no value.
  fileprivate var partThatSettingsCannotHave: ValueType? {
    switch self {
    case .file, .none: self
    case .list(let element): element.partThatSettingsCannotHave
    case .object(let fields): fields.lazy.compactMap(\.type.partThatSettingsCannotHave).first
    case .string, .int, .number, .bool, .duration, .size, .timestamp, .date, .json: nil
    }
  }
}

extension JSONValue {
  /// Whether both are the same value; numbers are compared by value, however they are written.
  func isSameSetting(as other: JSONValue) -> Bool {
    if self == other { return true }
    if let int = intValue, let otherInt = other.intValue { return int == otherInt }
    guard let number = doubleValue, let otherNumber = other.doubleValue else { return false }
    return number == otherNumber
  }
}
