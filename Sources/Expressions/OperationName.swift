/// Names of operations as files and people write them.
package enum OperationName {
  /// Whether two names mean the same operation: names are unique without regard to case, and expressions don't regard it either.
  package static func areSame(_ one: String, _ other: String) -> Bool {
    one == other || one.lowercased() == other.lowercased()
  }

  /// The one of `names` that `text` means.
  package static func find(_ text: String, among names: [String]) -> String? {
    // Nearly always it is written as it is: then no other has to be converted.
    names.first { $0 == text } ?? names.first { areSame($0, text) }
  }

  /// The operations that a path such as `deploy/build` leads through: each but the last has started a run that the next one is in. No name holds a slash.
  package static func path(_ text: String) -> [String] {
    text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }
}
