import SQLite
import Values
import Workspace

/// The definitions of the pipelines that a run runs, directly or indirectly, with which it continues whatever happens to their files.
///
/// Stored together with what such a run has to know about files of params and variables, as one more text among the definitions: a JSON object by the
/// absolute paths of the files, with the id of the run in place of a hash. A run without nested pipelines has none.
enum NestedDefinitions {
  private static let prefix = "nested:"

  /// Deletes the definitions that no longer belong to a run.
  static let pruneSQL = """
    DELETE FROM definition WHERE NOT EXISTS (SELECT 1 FROM run_record r WHERE r.definition = definition.number)
      AND NOT (hash GLOB '\(prefix)*'
        AND EXISTS (SELECT 1 FROM run_record r WHERE r.id = substr(definition.hash, \(prefix.count + 1))))
    """

  /// Returns the key that replaces a hash.
  static func key(of run: RunID) -> String { prefix + run.text }

  static func text(of definitions: [String: String]) -> String {
    JSONValue.object(
      .init(definitions.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }) { first, _ in first }
    )
    .text
  }

  static func of(_ run: RunID, in db: Database) throws -> [String: String] {
    let text = try StoredDefinition.text(of: key(of: run), in: db)
    guard let text, case .object(let members)? = try? JSONValue.parse(text) else { return [:] }
    return Dictionary(members.compactMap { name, value in value.stringValue.map { (name, $0) } }) { first, _ in first }
  }
}

extension History {
  /// Returns the texts of the pipelines that a run runs, and of files of params, as they were when it began, by the absolute paths of their files.
  /// Other keys are for hashes of variables.
  public func nestedDefinitions(of run: RunID) throws(WorkspaceError) -> [String: String] {
    try read { try NestedDefinitions.of(run, in: $0) }
  }
}
