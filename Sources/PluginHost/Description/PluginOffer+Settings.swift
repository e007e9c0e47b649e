import Values

/// What is known about a setting's value when a pipeline is loaded.
public enum GivenSetting: Sendable, Hashable {
  /// The value itself.
  case value(JSONValue)
  /// Only its type, because an expression yields the value later.
  case type(ValueType)
}

extension PluginOffer {
  /// Returns the setting called `name`.
  ///
  /// - Parameter name: A member of `with:`.
  /// - Returns: The setting, or nil if there is none.
  public func setting(_ name: String) -> PluginSetting? { settings.first { $0.name == name } }

  /// Returns the settings as an instance receives them: checked, with defaults, in the order of the description.
  ///
  /// Null counts as a missing value if the setting is not required and its type is not `json`. A setting without a value and a default is omitted.
  ///
  /// - Parameter settings: An object; null stands for an empty one.
  /// - Returns: An object.
  /// - Throws: All problems of the settings.
  public func resolve(settings: JSONValue) throws(PluginSettingProblems) -> JSONValue {
    let given: JSONValue = settings.isNull ? [:] : settings
    guard case .object(let members) = given else {
      let problem = PluginSettingProblem(
        code: .invalid, setting: nil, path: "",
        message: "the settings of '\(id)' must be an object, found \(settings.kind)",
        fix: "write 'with: { name: value }'")
      throw PluginSettingProblems(problems: [problem])
    }
    let problems = problems(with: members.map { (name: $0.key, given: .value($0.value)) })
    guard problems.isEmpty else { throw PluginSettingProblems(problems: problems) }
    var resolved = members
    resolved.removeAll()
    for setting in self.settings {
      let value = members[setting.name].flatMap { setting.isAbsent($0) ? nil : $0 }
      if let value = value ?? setting.defaultValue { resolved[setting.name] = value }
    }
    return .object(resolved)
  }

  /// Returns the problems that can be found before the values of all settings are known.
  ///
  /// - Parameter given: The members of `with:`, in order, each with its value or at least its type.
  /// - Returns: First the problems of these members, in order, then the missing settings, in the order of the description. Problems that depend on
  ///   unknown values are found by ``resolve(settings:)``.
  public func problems(with given: [(name: String, given: GivenSetting)]) -> [PluginSettingProblem] {
    var problems: [PluginSettingProblem] = []
    var seen: Set<String> = []
    for (name, given) in given {
      seen.insert(name)
      let problem =
        switch given {
        case .value(let value): check(setting: name, value: value)
        case .type(let type): check(setting: name, type: type)
        }
      if let problem { problems.append(problem) }
    }
    // A misspelt required setting is one mistake, not two.
    let meant = Set(problems.compactMap { $0.code == .unknown ? $0.setting.flatMap(nearestSetting) : nil })
    return problems + missing(from: seen.union(meant))
  }

  /// Checks a member of `with:` whose value is known.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - value: Its value.
  /// - Returns: The problem, or nil if there is none.
  public func check(setting name: String, value: JSONValue) -> PluginSettingProblem? {
    guard let setting = setting(name) else { return unknown(name) }
    if setting.isAbsent(value) { return setting.isRequired ? missing(setting) : nil }
    if let mismatch = setting.type.mismatch(of: value) {
      return PluginSettingProblem(
        code: .invalid, setting: name, path: mismatch.path,
        message: "the setting '\(name)' of '\(id)' has the wrong type: \(mismatch.description.escapedForMessage)",
        fix: setting.fix(for: mismatch))
    }
    // A plugin receives its settings as JSON.
    if let problem = value.problemBeyondJSON {
      return PluginSettingProblem(
        code: .invalid, setting: name, path: "", message: "the setting '\(name)' of '\(id)' \(problem)", fix: nil)
    }
    guard let values = setting.values, !values.contains(where: { $0.isSameSetting(as: value) }) else { return nil }
    return PluginSettingProblem(
      code: .invalid, setting: name, path: "",
      message: "the setting '\(name)' of '\(id)' cannot be \(PluginSetting.text(of: value))",
      fix: setting.fix(for: value, among: values))
  }

  /// Checks a member of `with:` of whose value only the type is known. A problem is reported only if no value of that type would be valid.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - type: The type of the expression that yields its value.
  /// - Returns: The problem, or nil if there is none or it depends on the value.
  public func check(setting name: String, type: ValueType) -> PluginSettingProblem? {
    guard let setting = setting(name) else { return unknown(name) }
    guard case .no(let reason) = setting.type.accepts(type) else { return nil }
    return PluginSettingProblem(
      code: .invalid, setting: name, path: "",
      message: "the setting '\(name)' of '\(id)' has the wrong type: \(reason.escapedForMessage)",
      fix: "give it \(setting.type.noun)")
  }

  /// Returns a problem for each required setting that is not among `names`, in the order of the description.
  ///
  /// - Parameter names: The names of the members of `with:`.
  /// - Returns: One problem for each missing setting.
  public func missing(from names: Set<String>) -> [PluginSettingProblem] {
    settings.filter { $0.isRequired && !names.contains($0.name) }.map(missing)
  }

  private func missing(_ setting: PluginSetting) -> PluginSettingProblem {
    PluginSettingProblem(
      code: .missing, setting: setting.name, path: "",
      message: "'\(id)' requires the setting '\(setting.name)', \(setting.type.noun)",
      fix: "add '\(setting.name): …' under 'with:' (\(setting.summary))")
  }

  private func unknown(_ name: String) -> PluginSettingProblem {
    let names = settings.map(\.name)
    let fix = nearestSetting(name).map { "did you mean '\($0)'?" }
    return PluginSettingProblem(
      code: .unknown, setting: name, path: "",
      message: "'\(id)' has no setting '\(name.escapedForMessage)'",
      fix: fix ?? (names.isEmpty ? "it has no settings" : "its settings are \(names.joined(separator: ", "))"))
  }

  private func nearestSetting(_ name: String) -> String? {
    NearestName.suggestion(for: name, among: settings.map(\.name))
  }
}

extension PluginSetting {
  /// Whether `value` leaves the setting unset. For a setting of type `json`, null is a value.
  fileprivate func isAbsent(_ value: JSONValue) -> Bool { value.isNull && type != .json }

  /// Returns how a value of the setting's type is written.
  fileprivate func fix(for mismatch: TypeMismatch) -> String? {
    switch mismatch.expected {
    case "duration": "write it like 90s or 1h30m"
    case "size": "write it like 10MiB or 512"
    case "timestamp": "write it like 2026-01-31T08:00:00Z"
    case "date": "write it like 2026-01-31"
    case "bool": "write true or false"
    case "string" where ["int ", "number ", "bool "].contains { mismatch.found.hasPrefix($0) }: "put it in quotes"
    case "int" where mismatch.found.hasPrefix("string "), "number" where mismatch.found.hasPrefix("string "):
      "write a number without quotes"
    default: nil
    }
  }

  fileprivate func fix(for value: JSONValue, among values: [JSONValue]) -> String {
    if let text = value.stringValue,
      let near = NearestName.suggestion(for: text, among: values.compactMap(\.stringValue))
    {
      return "did you mean '\(near.escapedForMessage)'?"
    }
    return "use one of \(values.map(Self.text).joined(separator: ", "))"
  }

  /// Returns a value for a message: strings unquoted by JSON, and truncated if they are long.
  fileprivate static func text(of value: JSONValue) -> String {
    let text = value.stringValue.map { "'\($0)'" } ?? value.text
    let scalars = text.unicodeScalars
    guard !scalars.dropFirst(60).isEmpty else { return text.escapedForMessage }
    return String(String.UnicodeScalarView(scalars.prefix(60))).escapedForMessage + "…"
  }
}
