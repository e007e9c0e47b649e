struct TextPattern {
  struct Failure: Error {
    var message: String
    var offset: Int
  }
  private let regex: Regex<AnyRegexOutput>
  init(_ text: String) throws(Failure) {
    do { regex = try Regex(text) } catch { throw Failure(message: "\(error)", offset: 0) }
  }
  func matchesWhole(_ text: String) -> Bool { (try? regex.wholeMatch(in: text)) != nil }
}
