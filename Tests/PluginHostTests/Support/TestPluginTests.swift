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

  @Test("compile errors are reported with the compiler's message")
  func broken() {
    #expect(throws: TestPluginError.self) { try TestPlugin.compile(source: "int x = ;") }
  }
}
