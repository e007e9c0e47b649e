import HTTPOperations
import PluginHost
import Testing
import Values

@testable import PipelineLanguage

@Suite("The plugin http")
struct HTTPPluginTests {
  private let catalog = FakeCatalog()

  private func problem(_ settings: JSONValue) throws -> PluginFailure? {
    let plugin = try #require(HTTPPlugin.described)
    let offer = try #require(plugin.description.offer("http.events", .controller))
    return plugin.check(offer, settings: try offer.resolve(settings: settings))
  }

  @Test("needs no file, and no file can replace it")
  func isThere() throws {
    _ = try catalog.pipeline(
      """
      controllers: { uses: http.events, with: { url: "http://h/" } }
      operations: [{ name: x, value: "${{ run.event.data }}" }]
      """)
    #expect(catalog.asked.withLock { $0.isEmpty })
    let found = catalog.findings(
      """
      plugins: { http: { path: ./mine.so } }
      controllers: { uses: http.events, with: { url: "http://h/" } }
      operations: [{ name: x, value: 1 }]
      """)
    #expect(found.count == 1)
    #expect(found.first?.contains("reserved-name") == true, "\(found)")
  }

  @Test("accepts settings that form a valid request, and names an invalid one")
  func settings() throws {
    #expect(try problem(["url": "https://h/feed", "headers": ["A": "b"], "events": ["x"]]) == nil)
    #expect(try problem(["url": "h/feed"])?.message.hasPrefix("url: ") == true)
    #expect(
      try problem(["url": "http://h/", "headers": ["A": 1]])?.message == "headers: the value of 'A' is not a text")
    #expect(try problem(["url": "http://h/", "headers": ["A": "b\nC: d"]])?.message.contains("line break") == true)
    #expect(try problem(["url": "http://h/", "headers": ["A b": "c"]])?.message.hasPrefix("headers: ") == true)
    #expect(
      try problem(["url": "http://h/", "secret_headers": ["A b": "c"]])?.message.hasPrefix("secret_headers") == true)
    #expect(try problem(["url": "http://h/", "silence": "0s"])?.message == "silence: it must be greater than zero")
  }

  @Test("is always in the schema")
  func schema() {
    let definitions = PipelineSchema.jsonSchema()["$defs"]
    #expect(definitions?["controller-http.events"]?["properties"]?["url"] != nil)
  }
}
