import Operations
import Testing

extension OperationContext {
  fileprivate enum NumberKey: Key { static let defaultValue = 7 }
  fileprivate enum TextKey: Key { static var defaultValue: String? { nil } }
  fileprivate enum Probe: Key { static var defaultValue: Tracked? { nil } }
}

private final class Tracked: Sendable {
  let log: Log<String>
  init(_ log: Log<String>) { self.log = log }
  deinit { log.append("gone") }
}

@Suite("Operation context")
struct OperationContextTests {
  @Test("A key has its default until it is set and after it is removed")
  func defaults() {
    var context = OperationContext()
    #expect(context[OperationContext.NumberKey.self] == 7)
    context[OperationContext.NumberKey.self] = 8
    context[OperationContext.NumberKey.self] += 1
    context[OperationContext.TextKey.self] = "a"
    #expect(context[OperationContext.NumberKey.self] == 9)
    #expect(context[OperationContext.TextKey.self] == "a")
    context.removeValue(for: OperationContext.NumberKey.self)
    context.removeValue(for: OperationContext.NumberKey.self)
    #expect(context[OperationContext.NumberKey.self] == 7)
    #expect(context[OperationContext.TextKey.self] == "a")
  }

  @Test("A copy keeps its values when the original changes")
  func copies() {
    var original = OperationContext()
    original[OperationContext.NumberKey.self] = 1
    let copy = original
    original[OperationContext.NumberKey.self] = 2
    original[OperationContext.TextKey.self] = "new"
    #expect(copy[OperationContext.NumberKey.self] == 1)
    #expect(copy[OperationContext.TextKey.self] == nil)
  }

  @Test("The values of a context are released with its last copy")
  func releases() {
    let log = Log<String>()
    var context = OperationContext()
    context[OperationContext.Probe.self] = Tracked(log)
    var copy: OperationContext? = context
    context = OperationContext()
    #expect(log.count == 0)
    _ = copy?[OperationContext.Probe.self]
    copy = nil
    #expect(log.elements == ["gone"])
  }

  @Test("The value written closest to the request takes precedence")
  func innermostWins() async throws {
    struct Reading: OperationRequest {
      let own: Int?
      func setup(context: inout OperationContext) {
        if let own { context[OperationContext.NumberKey.self] = own }
      }
      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Int, Never>
      ) async -> Int {
        context[OperationContext.NumberKey.self]
      }
    }
    func read(_ own: Int?) async throws -> Int {
      let operation = Reading(own: own)
        .context { $0[OperationContext.NumberKey.self] = 2 }
        .timeout(nil)
        .context { $0[OperationContext.NumberKey.self] = 3 }
      return try await OperationRunner(operation).run()
    }
    #expect(try await read(1) == 1)
    #expect(try await read(nil) == 2)
  }

  @Test("A request is set up once, regardless of how often it runs")
  func setUpOnce() async throws {
    let setups = Log<Int>()
    let operation = Block { _ in 1 }.context { _ in setups.append(0) }.retry(limit: 1)
    let runner = OperationRunner(operation)
    for _ in 0..<3 { _ = try await runner.run() }
    #expect(setups.count == 1)
  }
}
