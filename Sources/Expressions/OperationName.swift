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

  /// The operations that a path such as `deploy/build` leads through: each but the last has started a run that the next one is in. No name holds a slash, but
  /// what stands in brackets may: that of an item ends at a bracket with a slash behind it, or nothing.
  package static func path(_ text: String) -> [String] {
    var names: [String] = []
    var rest = Substring(text)
    while true {
      guard let slash = rest.firstIndex(of: "/") else { break }
      var end = slash
      if let open = rest[..<slash].firstIndex(of: "[") {
        guard let close = rest[open...].firstRange(of: "]/")?.lowerBound else { break }
        end = rest.index(after: close)
      }
      names.append(String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return names + [String(rest)]
  }

  /// What `convert[136]` or `convert[orders.csv]` names: a loop, and what stands in brackets behind it. Nil where there is nothing in brackets.
  package static func item(_ text: String) -> (loop: String, item: String)? {
    guard text.hasSuffix("]"), let open = text.firstIndex(of: "[") else { return nil }
    let item = text[text.index(after: open)...].dropLast()
    return item.isEmpty ? nil : (String(text[..<open]), String(item))
  }
}
