import Foundation
import Testing

@Suite("Plugins for tests")
struct TestPluginTests {
  @Test("a plugin is compiled once, without warnings")
  func once() throws {
    let source = TestPlugin.Source(id: "once")
    let first = try TestPlugin.compile(source, flags: ["-Werror"])
    let date = try FileManager.default.attributesOfItem(atPath: first)[.modificationDate] as? Date
    let second = try TestPlugin.compile(source, flags: ["-Werror"])
    #expect(first == second)
    #expect(try FileManager.default.attributesOfItem(atPath: second)[.modificationDate] as? Date == date)
    #expect(first.hasSuffix("/once.so"))
  }

  @Test("what does not compile is told in the compiler's words")
  func broken() {
    #expect(throws: TestPluginError.self) { try TestPlugin.compile(source: "int x = ;") }
  }
}
