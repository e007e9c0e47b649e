/// The top-level keys of an included file.
enum IncludedKey: String, CaseIterable, Sendable {
  case include, env, defaults, specifications, templates

  static let table = KeyTable<IncludedKey>("an included file", known)

  private static var known: [KeyRow] {
    PipelineKey.table.rows.filter { IncludedKey(rawValue: $0.key) != nil }
  }

  /// The keys that are joined with those of other files, with the forms that determine how.
  static var joined: [KeyRow] {
    known.filter { $0.key != IncludedKey.include.rawValue && $0.key != IncludedKey.templates.rawValue }
  }

  /// Returns whether a key is only valid in pipelines.
  static func isOnlyForPipelines(_ key: String) -> Bool {
    PipelineKey.table.place(of: key) != nil && IncludedKey(rawValue: key) == nil
  }

  /// Returns whether a file is meant to be included rather than run: it has some of these keys, and none that only pipelines have.
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
