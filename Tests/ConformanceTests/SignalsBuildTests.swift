import Foundation
import Testing

@Suite("The signals plugin as it is built")
struct SignalsBuildTests {
  @Test("it is plain C, and has no Swift runtime in it")
  func size() throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(BuiltPenstock.directory)/libpenstock-signals.so"))
    // 36 KB by a C compiler; 8.9 MB with the runtime.
    #expect(file.count < 300_000)
    #expect(file.range(of: Data("swift_retain".utf8)) == nil)
    #expect(file.range(of: Data("libswiftCore".utf8)) == nil)
  }
}
