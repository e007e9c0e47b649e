import Values

/// What is known of a setting's value when a pipeline is loaded.
public enum GivenSetting: Sendable, Hashable {
  /// The value itself.
  case value(JSONValue)
  /// Only its type, because an expression yields it later.
  case type(ValueType)
}

extension PluginOffer {
  /// The setting called `name`.
  ///
  /// - Parameter name: A member of `with:`.
  /// - Returns: nil where there is none.
  public func setting(_ name: String) -> PluginSetting? { settings.first { $0.name == name } }

  /// The settings as an instance gets them: checked, with defaults, in the order of the description.
  ///
  /// Null for a setting that is not required counts as not given, unless its type is `json`. A setting without a value and
  /// without a default is left out.
  ///
  /// - Parameter settings: An object; null stands for an empty one.
  /// - Returns: An object.
  /// - Throws: Everything that is wrong.
  public func resolve(settings: JSONValue) throws(PluginSettingProblems) -> JSONValue {
    let given: JSONValue = settings.isNull ? [:] : settings
    guard case .object(let members) = given else {
      let problem = PluginSettingProblem(
        code: .invalid, setting: nil, path: "",
        message: "the settings of '\(id)' must be an object, and are \(settings.kind)",
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

  /// What can be said before the values of all settings are known.
  ///
  /// - Parameter given: The members of `with:`, in their order, each with its value or at least its type.
  /// - Returns: First what is wrong with those members, in their order, then what is missing, in the order of the description.
  ///   A problem that depends on a value which is not known yet is not among them: ``resolve(settings:)`` finds it.
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
    // A misspelt required setting is one mistake, and not two.
    let meant = Set(problems.compactMap { $0.code == .unknown ? $0.setting.flatMap(nearestSetting) : nil })
    return problems + missing(from: seen.union(meant))
  }

  /// What is wrong with one member of `with:` whose value is known.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - value: Its value.
  /// - Returns: nil where nothing is wrong.
  public func check(setting name: String, value: JSONValue) -> PluginSettingProblem? {
    guard let setting = setting(name) else { return unknown(name) }
    if setting.isAbsent(value) { return setting.isRequired ? missing(setting) : nil }
    if let mismatch = setting.type.mismatch(of: value) {
      return PluginSettingProblem(
        code: .invalid, setting: name, path: mismatch.path,
        message: "the setting '\(name)' of '\(id)' is not of its type: \(mismatch.description.escapedForMessage)",
        fix: setting.fix(for: mismatch))
    }
    // A plugin gets its settings as JSON.
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

  /// What is certainly wrong with one member of `with:` of whose value only the type is known: no value of that type would do.
  ///
  /// - Parameters:
  ///   - name: The member's name.
  ///   - type: The type of the expression that yields its value.
  /// - Returns: nil where nothing is wrong, or it depends on the value.
  public func check(setting name: String, type: ValueType) -> PluginSettingProblem? {
    guard let setting = setting(name) else { return unknown(name) }
    guard case .no(let reason) = setting.type.accepts(type) else { return nil }
    return PluginSettingProblem(
      code: .invalid, setting: name, path: "",
      message: "the setting '\(name)' of '\(id)' is not of its type: \(reason.escapedForMessage)",
      fix: "give it \(setting.type.noun)")
  }

  /// The required settings that are not among `names`, each as a problem, in the order of the description.
  ///
  /// - Parameter names: The names of the members of `with:`.
  /// - Returns: One problem for each that is missing.
  public func missing(from names: Set<String>) -> [PluginSettingProblem] {
    settings.filter { $0.isRequired && !names.contains($0.name) }.map(missing)
  }

  private func missing(_ setting: PluginSetting) -> PluginSettingProblem {
    PluginSettingProblem(
      code: .missing, setting: setting.name, path: "",
      message: "the setting '\(setting.name)' of '\(id)', \(setting.type.noun), must be given",
      fix: "add '\(setting.name): …' under 'with:' (\(setting.summary))")
  }

  private func unknown(_ name: String) -> PluginSettingProblem {
    let names = settings.map(\.name)
    let fix = nearestSetting(name).map { "did you mean '\($0)'?" }
    return PluginSettingProblem(
      code: .unknown, setting: name, path: "",
      message: "'\(id)' has no setting '\(name.escapedForMessage)'",
      fix: fix ?? (names.isEmpty ? "it has no settings at all" : "its settings are \(names.joined(separator: ", "))"))
  }

  private func nearestSetting(_ name: String) -> String? {
    NearestName.suggestion(for: name, among: settings.map(\.name))
  }
}

extension PluginSetting {
  /// Whether `value` says nothing about the setting. Where anything may stand, null is a value.
  fileprivate func isAbsent(_ value: JSONValue) -> Bool { value.isNull && type != .json }

  /// How a value of the setting's type is written.
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

  /// A value for a message: strings as they are, cut where they are long.
  fileprivate static func text(of value: JSONValue) -> String {
    let text = value.stringValue.map { "'\($0)'" } ?? value.text
    let scalars = text.unicodeScalars
    guard !scalars.dropFirst(60).isEmpty else { return text.escapedForMessage }
    return String(String.UnicodeScalarView(scalars.prefix(60))).escapedForMessage + "…"
  }
}
