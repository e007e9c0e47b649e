@testable import PipelineLanguage

/// Records which keys of the language are used where they belong.
struct KeyUses {
  /// The keys that were found, by the keys of their mapping; covers every kind of mapping that a file can have.
  private(set) var names: [[String]: Set<String>] = [:]

  /// Creates an empty record for the keys of pipelines or of hosts.
  init(ofHosts: Bool = false) {
    let roots = ofHosts ? [HostKey.table.rows] : [PipelineKey.table.rows, IncludedKey.table.rows]
    for rows in roots { reach(rows) }
  }

  /// Records the keys of a host's file.
  mutating func noteHost(_ root: YAMLNode) { note(root, HostKey.table.rows) }

  /// Records the keys of a pipeline file, or of a file to include.
  mutating func note(_ root: YAMLNode, isShared: Bool = false) {
    note(root, isShared ? IncludedKey.table.rows : PipelineKey.table.rows)
  }

  private static func available(_ rows: [KeyRow]) -> [String] { rows.filter(\.isAvailable).map(\.key) }

  private mutating func reach(_ rows: [KeyRow]) {
    let keys = Self.available(rows)
    guard names[keys] == nil else { return }
    names[keys] = []
    for row in rows where row.isAvailable { reach(row.form) }
  }

  private mutating func reach(_ form: ValueForm) {
    switch form {
    case .keys(let rows), .oneKey(let rows): reach(rows)
    case .list(let element, _): reach(element)
    case .map(_, let value): reach(value)
    case .keysAndMap(let rows, _, _, let value):
      reach(rows)
      reach(value)
    case .anyOf(let forms): for form in forms { reach(form) }
    case .operation, .operationTemplate: reach(OperationKey.table.rows)
    default: break
    }
  }

  private mutating func note(_ node: YAMLNode, _ rows: [KeyRow]) {
    for entry in node.entries ?? [] {
      guard let row = rows.first(where: { $0.key == entry.name && $0.isAvailable }) else { continue }
      names[Self.available(rows), default: []].insert(row.key)
      note(entry.value, row.form)
    }
  }

  private mutating func note(_ node: YAMLNode, _ form: ValueForm) {
    switch form {
    case .keys(let rows), .oneKey(let rows): note(node, rows)
    case .list(let element, _): for item in node.items ?? [] { note(item, element) }
    case .map(_, let value): for entry in node.entries ?? [] { note(entry.value, value) }
    case .keysAndMap(let rows, _, _, let value):
      note(node, rows)
      for entry in node.entries ?? [] where !rows.contains(where: { $0.key == entry.name }) { note(entry.value, value) }
    case .anyOf(let forms): for form in forms { note(node, form) }
    case .operation, .operationTemplate: note(node, OperationKey.table.rows)
    default: break
    }
  }
}
