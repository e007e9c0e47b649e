import Foundation
import Testing

@Suite("The built signals plugin")
struct SignalsBuildTests {
  @Test("is plain C without the Swift runtime")
  func size() throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(BuiltPenstock.directory)/libpenstock-signals.so"))
    // 36 KB from a C compiler; 8.9 MB with the runtime.
    #expect(file.count < 300_000)
    #expect(file.range(of: Data("swift_retain".utf8)) == nil)
    #expect(file.range(of: Data("libswiftCore".utf8)) == nil)
  }
}
