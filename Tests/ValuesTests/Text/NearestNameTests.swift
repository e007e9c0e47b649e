import Testing
import Values

@Suite("The nearest name")
struct NearestNameTests {
  @Test(
    "insertions, deletions, replacements and swaps are found",
    arguments: [
      ("fetsh", "fetch"), ("ftech", "fetch"), ("fetc", "fetch"), ("fetchh", "fetch"), ("FETCH", "fetch"),
      ("conut", "count"), ("digets", "digest"), ("timeuot", "timeout"), ("Timout", "timeout"),
    ]
  )
  func near(name: String, nearest: String) {
    let names = ["archive", "fetch", "count", "digest", "timeout"]
    #expect(NearestName.suggestion(for: name, among: names) == nearest)
  }

  @Test(
    "names further away than a third of the length are not suggested",
    arguments: ["xetxh", "abc", "a", "", "timeliest", "zzzzzz"])
  func far(name: String) {
    #expect(NearestName.suggestion(for: name, among: ["fetch", "timeout", "k"]) == nil)
  }

  @Test("a difference in case is preferred over a difference in letters")
  func letterCase() {
    #expect(NearestName.suggestion(for: "Name", among: ["same", "name", "Nome"]) == "name")
  }

  @Test("among equally near names, the first in alphabetical order is suggested, regardless of input order")
  func ties() {
    for names in [["cat", "bat", "hat"], ["hat", "cat", "bat"], ["bat", "hat", "cat"]] {
      #expect(NearestName.suggestion(for: "aat", among: names) == "bat")
    }
  }

  @Test("a name is not suggested for itself")
  func itself() {
    #expect(NearestName.suggestion(for: "fetch", among: ["fetch"]) == nil)
    #expect(NearestName.suggestion(for: "fetch", among: ["fetch", "Fetch"]) == "Fetch")
  }

  @Test("one set of 10,000 names answers many lookups")
  func many() {
    let nearest = NearestName((0..<10_000).map { "operation-\($0)" })
    #expect(nearest.suggestion(for: "opreation-1234") == "operation-1234")
    #expect(nearest.suggestion(for: "something-else") == nil)
    #expect(nearest.suggestion(for: String(repeating: "x", count: 1_000_000)) == nil)
  }
}
