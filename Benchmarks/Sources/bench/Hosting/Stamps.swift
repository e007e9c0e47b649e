import FoundationEssentials

/// What processes of the program `stamp` have written.
struct Stamps {
  /// When each began, by its name, in seconds since 1970.
  private(set) var begun: [String: Double] = [:]
  /// When each was told to end.
  private(set) var terminated: [String: Double] = [:]

  init(_ file: String) {
    let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let nanoseconds = Int64(words[2]) else { continue }
      let time = Double(nanoseconds / 1_000_000_000) + Double(nanoseconds % 1_000_000_000) / 1e9
      if words[1] == "begun" { begun[String(words[0])] = time } else { terminated[String(words[0])] = time }
    }
  }
}
