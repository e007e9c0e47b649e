/// The keys at the top of a file that pipelines include.
enum IncludedKey: String, CaseIterable, Sendable {
  case include, env, defaults, specifications, templates

  static let table = KeyTable<IncludedKey>("an included file", known)

  private static var known: [KeyRow] {
    PipelineKey.table.rows.filter { IncludedKey(rawValue: $0.key) != nil }
  }

  /// What is joined with the same key of other files, in the form that says how.
  static var joined: [KeyRow] {
    known.filter { $0.key != IncludedKey.include.rawValue && $0.key != IncludedKey.templates.rawValue }
  }

  /// Whether a key goes with pipelines alone.
  static func isOnlyForPipelines(_ key: String) -> Bool {
    PipelineKey.table.place(of: key) != nil && IncludedKey(rawValue: key) == nil
  }

  /// Whether a file is one to include rather than a pipeline: it has some of these keys, and none that only a pipeline has.
  static func areAll(of root: YAMLNode) -> Bool {
    let names = (root.entries ?? []).map(\.name).filter { !PipelineKey.isOwn($0) }
    guard !names.contains(where: isOnlyForPipelines) else { return false }
    return names.contains(templates.rawValue)
      || !names.isEmpty && names.allSatisfy { IncludedKey(rawValue: $0) != nil }
  }
}

/// The keys of a template: those of an operation without its name.
enum TemplateKey {
  static let table = KeyTable<OperationWord>(
    "a template", OperationKey.table.rows.filter { $0.key != OperationKey.name.rawValue })
}
