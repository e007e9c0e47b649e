/// Who holds a lease: a run, one of its operations, or a host.
///
/// The workspace keeps it as its words, which people read too, and which name the run last.
package struct LeaseHolder: CustomStringConvertible {
  /// Nil for who is no run.
  package let run: RunID?
  package let description: String

  package init(run: RunID, operation: String? = nil) {
    self.run = run
    description = (operation.map { "operation '\($0)' of " } ?? "") + "run \(run.text)"
  }

  /// A holder that is no run, in words that do not end in the id of one.
  package init(named description: String) {
    run = nil
    self.description = description
  }

  /// The name of the operation; nil for a run as a whole, and for who is no run.
  package var operation: String? {
    guard description.hasPrefix("operation '"), let end = description.ranges(of: "' of run ").last else { return nil }
    return String(description[..<end.lowerBound].dropFirst("operation '".count))
  }

  /// Nil where the words name no run.
  package init?(_ description: String) {
    guard let run = description.split(separator: " ").last.flatMap({ RunID($0) }) else { return nil }
    self.run = run
    self.description = description
  }
}
