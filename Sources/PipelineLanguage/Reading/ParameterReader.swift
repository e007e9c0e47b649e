import Values

extension DocumentReader {
  /// Reads `params`: each is a mapping, or only a type.
  func parameters(_ node: YAMLNode) -> [PipelineDefinition.Parameter] {
    guard let entries = node.entries else {
      wrongForm(node, "'params'", needs: "a mapping")
      return []
    }
    checkDistinct(entries, "param")
    return entries.map { entry in
      _ = checkName(entry.name, .member, "a parameter's name", at: entry.key.range)
      return parameter(entry)
    }
  }

  /// Reports names that differ only in case, which expressions ignore.
  private func checkDistinct(_ entries: [YAMLEntry], _ what: String) {
    var first: [String: YAMLEntry] = [:]
    for entry in entries {
      if let other = first.updateValue(entry, forKey: entry.name.lowercased()) {
        error(
          .duplicateName,
          "the \(what) '\(other.name)' on line \(other.key.range.start.line) differs from '\(entry.name)' in letter case alone, which expressions do not regard",
          at: entry.key.range)
      }
    }
  }

  private func parameter(_ entry: YAMLEntry) -> PipelineDefinition.Parameter {
    var parameter = PipelineDefinition.Parameter(name: entry.name, type: .json, range: entry.key.range)
    guard entry.value.entries != nil else {
      if entry.value.items != nil {
        wrongForm(entry.value, "a parameter", needs: "a mapping such as {type: string}, or the name of a type")
      } else if let type = type(entry.value) {
        parameter.type = type
      }
      return parameter
    }
    var type: ValueType?
    var defaultNode: YAMLNode?
    var choices: YAMLNode?
    var bounds: [YAMLEntry] = []
    var pattern: YAMLEntry?
    readKeys(of: entry.value, ParameterKey.table) { key, _, entry in
      switch key {
      // An invalid type must not cause errors at the other keys.
      case .type: type = self.type(entry.value) ?? .json
      case .default: defaultNode = entry.value
      case .description: parameter.description = text(entry.value, "'description'")
      case .min:
        parameter.minimum = number(entry.value, "'min'")
        bounds.append(entry)
      case .max:
        parameter.maximum = number(entry.value, "'max'")
        bounds.append(entry)
      case .enum: choices = entry.value
      case .pattern: pattern = entry
      }
    }
    let given = defaultNode.flatMap { defaultValue($0) }
    parameter.type = type ?? given.map { TypeInference.type(of: $0) } ?? .string
    readBounds(bounds, into: &parameter)
    readPattern(pattern, into: &parameter)
    readChoices(choices, into: &parameter)
    if let given, let defaultNode {
      parameter.defaultValue = given
      if let problem = ParameterRule.problem(with: given, for: parameter) {
        error(
          .invalidDefault, "the default of '\(entry.name)' \(problem)", at: defaultNode.range,
          fix: Self.quotingFix(given, parameter.type, defaultNode))
      }
    }
    return parameter
  }

  static func quotingFix(_ value: JSONValue, _ type: ValueType, _ node: YAMLNode) -> String? {
    guard type == .string, let text = node.text, value.stringValue == nil else { return nil }
    return "put it in quotes: \"\(text)\""
  }

  private func defaultValue(_ node: YAMLNode) -> JSONValue? {
    guard let place = firstExpression(in: node) else { return node.jsonValue() }
    error(
      .expressionNotAllowed, "a default cannot contain an expression: it is read before anything runs", at: place)
    return nil
  }

  private func firstExpression(in node: YAMLNode) -> SourceRange? {
    switch node.content {
    case .scalar(let text, _):
      return Self.expressionOffset(in: text).map { range(in: node, offset: $0, length: 3) }
    case .sequence(let items): return items.lazy.compactMap { self.firstExpression(in: $0) }.first
    case .mapping(let entries): return entries.lazy.compactMap { self.firstExpression(in: $0.value) }.first
    }
  }

  private func readBounds(_ bounds: [YAMLEntry], into parameter: inout PipelineDefinition.Parameter) {
    switch parameter.type {
    case .int, .number, .json: break
    default:
      for bound in bounds {
        error(.misplacedKey, "'\(bound.name)' has no effect on \(parameter.type.noun)", at: bound.key.range)
      }
    }
    if let minimum = parameter.minimum, let maximum = parameter.maximum, minimum > maximum,
      let place = bounds.last?.value.range
    {
      error(.outOfRange, "'min' is larger than 'max'", at: place)
      // No default could satisfy both.
      parameter.minimum = nil
      parameter.maximum = nil
    }
  }

  private func readPattern(_ entry: YAMLEntry?, into parameter: inout PipelineDefinition.Parameter) {
    guard let entry, let pattern = text(entry.value, "'pattern'") else { return }
    if parameter.type != .string && parameter.type != .file && parameter.type != .json {
      return error(.misplacedKey, "'pattern' has no effect on \(parameter.type.noun)", at: entry.key.range)
    }
    do {
      _ = try TextPattern(pattern)
      parameter.pattern = pattern
    } catch {
      self.error(
        .invalidPattern, "the pattern cannot be read: \(error.message)",
        at: range(in: entry.value, offset: error.offset, length: 1))
    }
  }

  private func readChoices(_ node: YAMLNode?, into parameter: inout PipelineDefinition.Parameter) {
    guard let node else { return }
    guard let items = node.items, !items.isEmpty else {
      return wrongForm(node, "'enum'", needs: "a list of values")
    }
    for item in items {
      if let mismatch = parameter.type.mismatch(of: item.jsonValue()) {
        error(.typeMismatch, "a value of 'enum' is not of the parameter's type: \(mismatch)", at: item.range)
      }
    }
    parameter.choices = items.map { $0.jsonValue() }
  }

  // MARK: - Secrets

  /// Reads `secrets`: each has exactly one source.
  func secrets(_ node: YAMLNode) -> [PipelineDefinition.Secret] {
    guard let entries = node.entries else {
      wrongForm(node, "'secrets'", needs: "a mapping")
      return []
    }
    checkDistinct(entries, "secret")
    return entries.map { entry in
      _ = checkName(entry.name, .member, "a secret's name", at: entry.key.range)
      // A secret that cannot be read still declares its name.
      let origin = origin(entry.value) ?? .command([])
      return PipelineDefinition.Secret(name: entry.name, origin: origin, range: entry.key.range)
    }
  }

  private func origin(_ node: YAMLNode) -> PipelineDefinition.Secret.Origin? {
    var origins: [PipelineDefinition.Secret.Origin?] = []
    readKeys(of: node, SecretKey.table) { key, _, entry in
      switch key {
      case .env:
        let name = plainText(entry.value, "'env'")
        let isName = name.map { checkName($0, .variable, "an environment variable", at: entry.value.range) } ?? false
        origins.append(isName ? name.map { .environment($0) } : nil)
      case .file: origins.append(plainText(entry.value, "'file'").map { .file($0) })
      case .command:
        let words = texts(entry.value, "'command'", allowsOne: false).map(\.text)
        if words.isEmpty, entry.value.items?.isEmpty == true {
          wrongForm(entry.value, "'command'", needs: "at least a program")
        } else if words.first == "", let program = entry.value.items?.first {
          wrongForm(program, "'command'", needs: "the name of a program first")
        }
        origins.append(words.isEmpty ? nil : .command(words))
      }
    }
    if let entries = node.entries, origins.count != 1, entries.allSatisfy({ SecretKey.table.place(of: $0.name) != nil })
    {
      wrongForm(node, "a secret", needs: "exactly one of 'env', 'file' and 'command'")
    }
    return origins.first ?? nil
  }
}
