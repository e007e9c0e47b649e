import Testing

@testable import PipelineEngine

@Suite("Text and values that become a path")
struct JoinedTextTests {
  private func part(_ pieces: [(String, Bool)], isURL: Bool = false) -> String? {
    var joined = JoinedText()
    for (text, isValue) in pieces {
      if isValue { joined.append(value: text) } else { joined.append(literal: text) }
    }
    return joined.part(among: [".."], isURL: isURL)
  }

  @Test("a part is recognised by its final form if a value contributes to it")
  func parts() {
    #expect(part([("a/", false), ("..", true)]) == "..")
    #expect(part([("a/", false), ("b/../../c", true)]) == "..")
    #expect(part([("a/", false), (".", true), (".", true), ("/b", false)]) == "..")
    #expect(part([("a/", false), ("", true), ("../b", false)]) == "..")
    #expect(part([("a/.", false), (".", true)]) == "..")
    #expect(part([("../", false), ("a", true)]) == nil)
    #expect(part([("a/", false), ("..b", true)]) == nil)
    #expect(part([("a/../b", false)]) == nil)
  }

  @Test("in a URL, an encoded dot counts as a dot, and the query is not a part")
  func urls() {
    #expect(part([("http://h/%2E", false), (".", true)], isURL: true) == "..")
    #expect(part([("http://h/%252E", false), (".", true)], isURL: true) == nil)
    #expect(part([("http://h/a?b=/", false), ("..", true)], isURL: true) == nil)
    #expect(part([("a/%2e", false), (".", true)]) == nil)
  }
}
