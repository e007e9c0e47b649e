import Expressions

/// The recorded form of a file of variables: their names, with short hashes of their values.
///
/// A retry uses them to detect changed values. Eight digits distinguish values, but reveal too little for guessing them.
enum VariableHashes {
  /// Returns the key of a file among the texts recorded with a run, where a nested pipeline has only its path as key.
  static func key(of absolutePath: String) -> String { "env:" + absolutePath }

  /// Returns the path of the file for a key; nil if the key is that of something else.
  static func path(ofKey key: String) -> String? { key.hasPrefix("env:") ? String(key.dropFirst(4)) : nil }

  /// Returns the hashes in a text, by variable.
  static func hashes(in text: String) -> [Substring: Substring] {
    Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.firstIndex(of: "=").map { (line[..<$0], line[line.index(after: $0)...]) }
      }
    ) { $1 }
  }

  /// Returns the hashes of variables as a text, which is itself a file of variables.
  static func text(of variables: [DotenvReader.Entry]) -> String {
    variables.map { "\($0.name)=\(ContentHash.of("\($0.name)=\($0.value)").prefix(8))\n" }.joined()
  }
}
