/// Who holds a lease: a run, or one of its operations.
///
/// The workspace keeps it as its words, which people read too, and which name the run last.
package struct LeaseHolder: CustomStringConvertible {
  package let run: RunID
  package let description: String

  package init(run: RunID, operation: String? = nil) {
    self.run = run
    description = (operation.map { "operation '\($0)' of " } ?? "") + "run \(run.text)"
  }

  /// Nil where the words name no run.
  package init?(_ description: String) {
    guard let run = description.split(separator: " ").last.flatMap({ RunID($0) }) else { return nil }
    self.run = run
    self.description = description
  }
}
