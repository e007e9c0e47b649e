/// Operation names as written in files and by people.
package enum OperationName {
  /// Returns whether two names refer to the same operation: names are unique ignoring case, and expressions ignore case too.
  package static func areSame(_ one: String, _ other: String) -> Bool {
    one == other || one.lowercased() == other.lowercased()
  }

  /// Returns the name in `names` that `text` refers to, or nil if there is none.
  package static func find(_ text: String, among names: [String]) -> String? {
    // Names are nearly always written exactly; then none has to be converted.
    names.first { $0 == text } ?? names.first { areSame($0, text) }
  }

  /// Returns the operation names in a path such as `deploy/build`, where each operation but the last started the run that contains the
  /// next. Names contain no slashes, but the brackets of an item may: they end at a `]` that a slash or the end of the text follows.
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

  /// Returns the `for_each` loop and the item that text such as `convert[136]` or `convert[orders.csv]` refers to, or nil if there is nothing in brackets.
  package static func item(_ text: String) -> (loop: String, item: String)? {
    guard text.hasSuffix("]"), let open = text.firstIndex(of: "[") else { return nil }
    let item = text[text.index(after: open)...].dropLast()
    return item.isEmpty ? nil : (String(text[..<open]), String(item))
  }
}
