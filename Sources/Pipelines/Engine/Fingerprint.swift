import Crypto

/// What makes two executions of an operation the same: what the file says of it, with everything that its action is given.
extension RunEngine {
  /// SHA-256 over all inputs of the operation, in hexadecimal.
  ///
  /// The inputs are: what the file says of it, aliases resolved; the shell and the directory that it starts in; the values of its expressions; the
  /// pipeline's params and `env`; the item. Of files that it sends or runs, what they are now; of a plugin, its code and the secrets that it may ask for; of a
  /// nested pipeline, its files and the code of its plugins, but nothing that it reads itself.
  func fingerprint(of ordinal: Int) throws -> String {
    let instance = state.instances[ordinal]
    let definition = instance.node.definition
    let contexts = contexts(ordinal)
    var inputs = FingerprintInputs()
    inputs.add("definition", definition.contentHash ?? "")
    // Relative paths start from there, in scripts as well: two files of one name are two pipelines.
    inputs.add("file", state.pipeline.source.directory)
    for word in definition.shell { inputs.add("shell", word) }
    for parameter in state.pipeline.parameters {
      inputs.add("params.\(parameter.name)", (state.parameters[parameter.name] ?? .null).text)
    }
    for variable in state.environment { inputs.add("pipeline env.\(variable.name)", variable.value) }
    for variable in definition.environment {
      inputs.add("env.\(variable.name)", try variable.value.evaluate(in: contexts).text)
    }
    switch definition.injection {
    case .none: break
    case .automatic(let template): inputs.add("inject", try template.evaluate(in: contexts).text)
    case .named(let members):
      for member in members { inputs.add("inject.\(member.name)", try member.value.evaluate(in: contexts).text) }
    }
    if let directory = definition.directory { inputs.add("directory", try directory.evaluate(in: contexts).text) }
    if let stdin = definition.stdin { inputs.add("stdin", try stdin.evaluate(in: contexts).text) }
    if let item = instance.item { inputs.add("item", item.text) }
    try add(definition.action, in: contexts, to: &inputs)
    return inputs.digest
  }

  private func add(
    _ action: OperationDefinition.Action, in contexts: RunContexts, to inputs: inout FingerprintInputs
  ) throws {
    switch action {
    case .run(let script): inputs.add("run", script)
    case .command(let templates):
      for template in templates { inputs.add("command", try template.evaluate(in: contexts).text) }
    case .value(let data): inputs.add("value", try data.evaluate(in: contexts).text)
    case .http(let action):
      for part in action.templates { inputs.add(part.name, try part.template.evaluate(in: contexts).text) }
      for path in action.readFiles {
        let path = try path.evaluate(in: contexts).injectedText
        let absolute = path.hasPrefix("/") ? path : "\(httpDirectory)/\(path)"
        inputs.add("file \(path)", FileStamp(absolute)?.text ?? "missing")
      }
    case .uses(let use):
      // Another version of the plugin may do something else.
      inputs.add("plugin", try plugin(of: use.offer).plugin.hash)
      for setting in use.settings {
        inputs.add("with.\(setting.name)", try setting.value.evaluate(in: contexts).text)
      }
      for name in state.pipeline.plugins[use.plugin]?.secrets ?? [] {
        inputs.add("secrets.\(name)", state.secrets[name] ?? "")
      }
    case .pipeline(let path, let parameters):
      for parameter in parameters {
        inputs.add("params.\(parameter.name)", try parameter.value.evaluate(in: contexts).text)
      }
      guard let nested = state.pipeline.nested[path] else { break }
      for hash in nested.sourceHashes { inputs.add("pipeline", hash) }
      for hash in pluginHashes(of: nested) { inputs.add("plugin", hash) }
    // Time and people are asked each time.
    case .wait, .approve: break
    }
  }

  /// The code of the plugins whose operations a pipeline and those that it runs have, in the order of the file. One that cannot be had fails where it is used.
  private func pluginHashes(of pipeline: PipelineDefinition) -> [String] {
    var hashes: [String] = []
    for operation in pipeline.operations + pipeline.handlers.map(\.operation) {
      guard case .uses(let use) = operation.action else { continue }
      hashes.append((try? services.plugin(use.plugin, in: pipeline))?.hash ?? "missing")
    }
    return hashes + pipeline.nested.sorted { $0.key < $1.key }.flatMap { pluginHashes(of: $0.value) }
  }
}

/// Hashes named values, each with its length, so that no two lists of them look alike.
private struct FingerprintInputs {
  private var hash = SHA256()

  mutating func add(_ name: String, _ value: String) {
    for text in [name, value] {
      hash.update(data: Array("\(text.utf8.count):".utf8))
      hash.update(data: Array(text.utf8))
    }
  }

  var digest: String { hash.finalize().hexadecimal }
}

extension SHA256Digest {
  /// The digest in lower-case hexadecimal.
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension YAMLNode {
  /// SHA-256 over what the node says: its texts, and which of them are quoted, with what aliases stand for, and without comments and places.
  var contentHash: String {
    var inputs = FingerprintInputs()
    add(to: &inputs)
    return inputs.digest
  }

  private func add(to inputs: inout FingerprintInputs) {
    let tag = tag ?? ""
    switch content {
    case .scalar(let text, let style): inputs.add((style == .plain ? "plain" : "text") + tag, text)
    case .sequence(let items):
      inputs.add("list" + tag, "\(items.count)")
      for item in items { item.add(to: &inputs) }
    case .mapping(let entries):
      inputs.add("mapping" + tag, "\(entries.count)")
      for entry in entries {
        entry.key.add(to: &inputs)
        entry.value.add(to: &inputs)
      }
    }
  }
}

extension HTTPAction {
  /// The paths of the files whose content it sends, or finds its credentials in.
  fileprivate var readFiles: [Template] {
    let sent: [Template] =
      switch body {
      case .file(let path): [path]
      case .form(let fields):
        fields.compactMap { field in
          if case .file(let path) = field.value { path } else { nil }
        }
      case .none, .text, .json, .report: []
      }
    if case .netrc(let path) = authorization { return sent + [path] }
    return sent
  }
}

extension PipelineDefinition {
  /// The hashes of the definition and of everything that it runs, in a fixed order.
  fileprivate var sourceHashes: [String] {
    [source.hash] + nested.sorted { $0.key < $1.key }.flatMap { $0.value.sourceHashes }
  }
}
