/// A variable of a file under `env_file` that has a different value in another run, according to the recorded hashes.
package struct VariableChange: Sendable, Hashable {
  /// The kind of change.
  package enum Kind: String, Sendable {
    case added, changed, removed
  }

  package let name: String
  /// The absolute path of the file.
  package let file: String
  package let kind: Kind

  /// Returns the variables that differ between the recorded texts of two runs, by file and name.
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
