import Testing

@testable import RunReports

@Suite("Differences between texts")
struct LineDifferenceTests {
  @Test("of the same text are empty")
  func same() {
    #expect(LineDifference(from: "a\nb\n", to: "a\nb").isEmpty)
    #expect(LineDifference(from: "", to: "").text == [])
  }

  @Test("show removed and added lines, with three lines of context")
  func lines() {
    let old = (1...20).map(String.init)
    var new = old
    new[9] = "ten"
    new.insert("after", at: 10)
    let difference = LineDifference(from: old.joined(separator: "\n"), to: new.joined(separator: "\n"))
    #expect(
      difference.text == [
        "… 6 the same", " 7", " 8", " 9", "-10", "+ten", "+after", " 11", " 12", " 13", "… 7 the same",
      ])
    #expect(difference.removed == 1 && difference.added == 2)
  }

  @Test("of texts without common lines contain all lines of both")
  func nothingInCommon() {
    #expect(LineDifference(from: "a\nb", to: "c").text == ["-a", "-b", "+c"])
    #expect(LineDifference(from: "", to: "c\n").text == ["+c"])
  }

  @Test("of long texts are computed quickly")
  func long() {
    let old = (0..<30_000).map { "old \($0)" }.joined(separator: "\n")
    let new = (0..<30_000).map { "new \($0)" }.joined(separator: "\n")
    let difference = LineDifference(from: old, to: new)
    #expect(difference.removed == 30_000 && difference.added == 30_000)
  }
}
