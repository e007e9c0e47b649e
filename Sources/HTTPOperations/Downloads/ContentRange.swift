/// The `Content-Range` of a part: `bytes 100-199/1000`, or `/*` if the total length is unknown.
struct ContentRange: Equatable {
  let first: Int64
  let last: Int64
  let total: Int64?

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = halves.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
    guard halves.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last
    else { return nil }
    self.first = first
    self.last = last
    if halves[1] == "*" {
      total = nil
    } else {
      guard let total = Self.number(halves[1]), total > last else { return nil }
      self.total = total
    }
  }

  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}
