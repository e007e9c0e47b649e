import Crypto

/// What makes two executions of an operation the same: its definition, what it is given, and the environment it names.
extension RunEngine {
  /// SHA-256 over the operation's source text, its requirement, its environment and the run's params, in hexadecimal.
  func fingerprint(of ordinal: Int) throws -> String {
    let instance = state.instances[ordinal]
    let definition = instance.node.definition
    let contexts = contexts(ordinal)
    var hash = SHA256()
    func add(_ text: String) {
      hash.update(data: Array("\(text.utf8.count):".utf8))
      hash.update(data: Array(text.utf8))
    }
    add(definition.text(in: state.source))
    for parameter in state.pipeline.parameters {
      add("\(parameter.name)=\((state.parameters[parameter.name] ?? .null).text)")
    }
    for variable in state.environment { add("\(variable.name)=\(variable.value)") }
    for variable in definition.environment { add("\(variable.name)=\(try variable.value.evaluate(in: contexts).text)") }
    switch definition.injection {
    case .none: break
    case .automatic(let template): add(try template.evaluate(in: contexts).text)
    case .named(let members):
      for member in members { add("\(member.name)=\(try member.value.evaluate(in: contexts).text)") }
    }
    if case .command(let templates) = definition.action {
      for template in templates { add(try template.evaluate(in: contexts).text) }
    }
    if case .value(let data) = definition.action { add(try data.evaluate(in: contexts).text) }
    if case .http(let action) = definition.action {
      for part in action.templates { add("\(part.name)=\(try part.template.evaluate(in: contexts).text)") }
    }
    if case .uses(let use) = definition.action {
      // Another version of the plugin may do something else.
      add(try plugin(of: use.offer).plugin.hash)
      for setting in use.settings { add("\(setting.name)=\(try setting.value.evaluate(in: contexts).text)") }
    }
    if case .pipeline(let path, let parameters) = definition.action {
      for parameter in parameters { add("\(parameter.name)=\(try parameter.value.evaluate(in: contexts).text)") }
      if let nested = state.pipeline.nested[path] { for hash in nested.sourceHashes { add(hash) } }
    }
    if let directory = definition.directory { add(try directory.evaluate(in: contexts).text) }
    if let stdin = definition.stdin { add(try stdin.evaluate(in: contexts).text) }
    if let item = instance.item { add(item.text) }
    let digits = Array("0123456789abcdef")
    return String(hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension PipelineDefinition {
  /// The hashes of the definition and of everything that it runs, in a fixed order.
  fileprivate var sourceHashes: [String] {
    [source.hash] + nested.sorted { $0.key < $1.key }.flatMap { $0.value.sourceHashes }
  }
}

extension OperationDefinition {
  /// What is written of the operation, line by line, without the line breaks.
  fileprivate func text(in source: SourceText) -> String {
    var lines: [Substring] = []
    for number in extent.start.line...max(extent.start.line, extent.end.line) {
      var line = source.line(number)
      if number == extent.end.line { line = Substring(line.unicodeScalars.prefix(extent.end.column - 1)) }
      if number == extent.start.line { line = Substring(line.unicodeScalars.dropFirst(extent.start.column - 1)) }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
