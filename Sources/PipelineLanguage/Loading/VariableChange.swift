/// A variable of a file under `env_file` that has another value in one run than in another, known by the hashes that both recorded.
package struct VariableChange: Sendable, Hashable {
  /// What has become of it.
  package enum Kind: String, Sendable {
    case added, changed, removed
  }

  package let name: String
  /// The absolute path of the file.
  package let file: String
  package let kind: Kind

  /// The variables that differ between what two runs recorded beside their definitions, by file and name.
  package static func between(_ first: [String: String], _ second: [String: String]) -> [VariableChange] {
    var changes: [VariableChange] = []
    for key in Set(first.keys).union(second.keys).sorted() {
      guard let file = VariableHashes.path(ofKey: key), first[key] != second[key] else { continue }
      let (old, new) = (VariableHashes.hashes(in: first[key] ?? ""), VariableHashes.hashes(in: second[key] ?? ""))
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        let kind: Kind = old[name] == nil ? .added : new[name] == nil ? .removed : .changed
        changes.append(VariableChange(name: String(name), file: file, kind: kind))
      }
    }
    return changes
  }
}
