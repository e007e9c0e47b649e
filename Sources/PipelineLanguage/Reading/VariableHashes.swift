import Expressions

/// What the history keeps of a file of variables: their names, with short hashes of their values.
///
/// By these a retry sees that a value has changed. Eight digits tell values apart, and say too little for finding one of them by trying.
enum VariableHashes {
  /// What stands for the path of a file among the texts that are recorded with a run, where that of a nested pipeline would be the path alone.
  static func key(of absolutePath: String) -> String { "env:" + absolutePath }

  /// The path of the file that a key is of; nil for the key of something else.
  static func path(ofKey key: String) -> String? { key.hasPrefix("env:") ? String(key.dropFirst(4)) : nil }

  /// The hashes in a text, by the names of the variables.
  static func hashes(in text: String) -> [Substring: Substring] {
    Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.firstIndex(of: "=").map { (line[..<$0], line[line.index(after: $0)...]) }
      }
    ) { $1 }
  }

  /// The text, which is a file of variables itself.
  static func text(of variables: [DotenvReader.Entry]) -> String {
    variables.map { "\($0.name)=\(ContentHash.of("\($0.name)=\($0.value)").prefix(8))\n" }.joined()
  }
}
