/// The holder of a lease: a run, one of its operations, or a host.
///
/// The workspace stores it as text, which people read too, and which ends with the run's id.
package struct LeaseHolder: CustomStringConvertible {
  /// Nil if the holder is not a run.
  package let run: RunID?
  package let description: String

  package init(run: RunID, operation: String? = nil) {
    self.run = run
    description = (operation.map { "operation '\($0)' of " } ?? "") + "run \(run.text)"
  }

  /// Creates a holder that is not a run, with text that does not end in a run's id.
  package init(named description: String) {
    run = nil
    self.description = description
  }

  /// The name of the operation; nil for a run as a whole, and for a holder that is not a run.
  package var operation: String? {
    guard description.hasPrefix("operation '"), let end = description.ranges(of: "' of run ").last else { return nil }
    return String(description[..<end.lowerBound].dropFirst("operation '".count))
  }

  /// Parses a description; nil if it does not end with a run's id.
  package init?(_ description: String) {
    guard let run = description.split(separator: " ").last.flatMap({ RunID($0) }) else { return nil }
    self.run = run
    self.description = description
  }
}
