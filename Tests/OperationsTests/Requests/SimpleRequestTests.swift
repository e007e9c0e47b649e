import Operations
import OperationsTesting
import Testing

@Suite("Requests in short form")
struct SimpleRequestTests {
  private struct Weather: SimpleQueryRequest, Hashable {
    let city: String
    func fetch(in context: OperationContext) async throws -> String { "\(city)" }
  }

  private enum Refusal: Error { case unknownCity }

  private struct Unknown: SimpleQueryRequest, Hashable {
    func fetch(in context: OperationContext) async throws(Refusal) -> Int { throw .unknownCity }
  }

  private struct Constant: SimpleQueryRequest, Hashable {
    func fetch(in context: OperationContext) async -> Int { 7 }
  }

  private struct OnCaller: SimpleQueryRequest, Hashable {
    nonisolated(nonsending) func fetch(in context: OperationContext) async throws -> Bool {
      #isolation === MainActor.shared
    }
  }

  private struct Doubling: SimpleMutationRequest, Hashable {
    func mutate(with number: Int, in context: OperationContext) async throws -> Int { number * 2 }
  }

  @Test("a query needs only fetch(in:), and takes modifiers and a store like any other")
  func query() async throws {
    let store = OperationClient().store(for: Weather(city: "Kiel").stale(after: .seconds(600)))
    #expect(try await store.fetch() == "Kiel")
    #expect(store.currentValue == "Kiel")
  }

  @Test("the type of the failure is that of fetch(in:)")
  func failures() async {
    await #expect(throws: Refusal.unknownCity) { try await OperationRunner(Unknown()).run() }
    // Compiles without `try`: it cannot fail.
    #expect(await OperationRunner(Constant()).run() == 7)
  }

  @Test("a short form marked nonisolated(nonsending) runs on the actor of its caller")
  @MainActor
  func isolation() async throws {
    #expect(try await OperationRunner(OnCaller()).run())
  }

  @Test("a change needs only mutate(with:in:)")
  func mutation() async throws {
    let store = OperationClient().store(for: Doubling())
    #expect(try await store.mutate(with: 21) == 42)
  }
}
