import Operations
import Testing

@Suite("Injection")
struct InjectionTests {
  /// Describes the number that is its requirement.
  struct Describe: RequirementOperation {
    let ran = Log<Int>()

    func run(
      isolation: isolated (any Actor)?, with requirement: Int, in context: OperationContext,
      with continuation: OperationContinuation<String, TestError>
    ) async throws(TestError) -> String {
      ran.append(requirement)
      guard requirement >= 0 else { throw TestError(number: requirement) }
      return "number \(requirement)"
    }
  }

  private let describe = Describe()

  private func error(of operation: some OperationRequest) async -> (any Error)? {
    do {
      _ = try await OperationRunner(operation).run()
      return nil
    } catch {
      return error
    }
  }

  private func code(of operation: some OperationRequest) async -> String? {
    await (error(of: operation) as? InjectionError)?.code
  }

  @Test("A literal requirement is used in every run")
  func literal() async throws {
    let operation = describe.requirement(3)
    #expect(try await OperationRunner(operation).run() == "number 3")
    #expect(try await OperationRunner(operation.repeating(RepeatPolicy(every: .zero, limit: 2))).run() == "number 3")
    await #expect(throws: TestError(number: -1)) { try await OperationRunner(describe.requirement(-1)).run() }
  }

  @Test("The result of a dependency becomes the requirement")
  func automatic() async throws {
    #expect(try await OperationRunner(describe.injectResult(from: Block { _ in 4 })).run() == "number 4")
  }

  @Test("An optional result is unwrapped, and nil does not satisfy the requirement")
  func optional() async throws {
    #expect(try await OperationRunner(describe.injectResult(from: Block<Int?> { _ in 5 })).run() == "number 5")
    #expect(await code(of: describe.injectResult(from: Block<Int?> { _ in nil })) == "requirement-not-satisfied")
    #expect(describe.ran.elements == [5])
  }

  @Test("A transform builds the requirement, and its error becomes the dependent's")
  func transform() async throws {
    let text = Block { _ in "12" }
    #expect(try await OperationRunner(describe.injectResult(from: text) { $0.count }).run() == "number 2")
    let failing = describe.injectResult(from: text) { _ in throw TestError(number: 8) }
    await #expect(throws: TestError(number: 8)) { try await OperationRunner(failing).run() }
  }

  struct End: Sendable {
    let thrown: any Error
    let code: String?
  }

  static let ends = [
    End(thrown: TestError(number: 6), code: "dependency-failed"),
    End(thrown: CancellationError(), code: "dependency-cancelled"),
    End(thrown: InjectionError.dependencyFailed(TestError()), code: "dependency-cancelled"),
    End(thrown: InjectionError.requirementNotSatisfied, code: "dependency-cancelled"),
    End(thrown: OperationSkippedError(), code: nil),
  ]

  @Test("A dependency that does not succeed cancels or skips the dependent", arguments: ends)
  func outcomes(_ end: End) async {
    let operation = describe.injectResult(from: Block<Int> { _ in throw end.thrown })
    let error = await error(of: operation)
    #expect((error as? InjectionError)?.code == end.code)
    if end.code == nil { #expect(error is OperationSkippedError) }
    if end.code == "dependency-failed" {
      #expect((error as? InjectionError)?.underlyingError as? TestError == TestError(number: 6))
    }
    #expect(describe.ran.count == 0)
  }

  @Test("An explicit injection receives the result or the error of the dependency")
  func explicit() async throws {
    func inject(_ dependency: Block<String>) async throws -> String {
      let operation = describe.inject(from: dependency) { builder, result, error in
        builder.requirement = result.map(\.count) ?? (error as? TestError)?.number
      }
      return try await OperationRunner(operation).run()
    }
    #expect(try await inject(Block { _ in "four" }) == "number 4")
    #expect(try await inject(Block { _ in throw TestError(number: 9) }) == "number 9")
  }

  @Test("An explicit injection that sets no requirement cancels the dependent")
  func explicitWithoutRequirement() async {
    func code(_ dependency: Block<Int>) async -> String? {
      await self.code(of: describe.inject(from: dependency) { _, _, _ in })
    }
    #expect(await code(Block { _ in 1 }) == "requirement-not-satisfied")
    #expect(await code(Block { _ in throw TestError() }) == "dependency-failed")
    #expect(await code(Block { _ in throw CancellationError() }) == "dependency-cancelled")
  }

  @Test("An explicit injection that throws fails the dependent with that error")
  func explicitThrowing() async {
    let operation = describe.inject(from: Block { _ in 1 }) { _, _, _ in throw TestError(number: 2) }
    await #expect(throws: TestError(number: 2)) { try await OperationRunner(operation).run() }
  }

  @Test("A cancelled task throws CancellationError instead of an injection error and does not run the dependent")
  func cancelledTask() async {
    let operation = describe.injectResult(
      from: Block<Int> { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        throw TestError()
      })
    let task = Task { try await OperationRunner(operation).run() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(describe.ran.count == 0)
  }

  @Test("Injections can be chained, and modifiers apply to the combination")
  func chains() async throws {
    struct Length: RequirementOperation {
      func run(
        isolation: isolated (any Actor)?, with requirement: String, in context: OperationContext,
        with continuation: OperationContinuation<Int, Never>
      ) async -> Int {
        requirement.count
      }
    }
    let first = describe.injectResult(from: Block { _ in 7 }).timeout(.seconds(3_600))
    let second = Length().injectResult(from: first).retry(limit: 1)
    let third = describe.injectResult(from: second)
    #expect(try await OperationRunner(third).run() == "number 8")
  }

  @Test("A retry around an injection and one in its dependency both act, and share no context")
  func retries() async {
    let time = FakeTime()
    let attempts = Log<Int?>()
    let seen = Log<Int>()
    let dependency = Block<Int> { context in
      attempts.append(context.operationRetryIndex)
      throw TestError()
    }
    let observer = RetryObserver(onAttempt: { seen.append($0) })
    var context = OperationContext.faking(time)
    context.retryObserver = observer
    let inner = dependency.retry(limit: 1).backoff(.constant(.seconds(1)))
    let whole = describe.injectResult(from: inner).retry(limit: 1).backoff(.constant(.seconds(5)))
    _ = try? await OperationRunner(whole, context: context).run()
    #expect(attempts.elements == [nil, 0, nil, 0])
    #expect(seen.elements == [1, 2])
    #expect(time.delays.elements == [.seconds(1), .seconds(5), .seconds(1)])
  }

  @Test("A shared dependency of two dependents runs once in each run")
  func shared() async throws {
    let count = Log<Int>()
    let number = Block { _ in count.append(0) }.shared()
    let all = [describe.injectResult(from: number), describe.injectResult(from: number)].collectResults()
    #expect(try await OperationRunner(all).run() == ["number 1", "number 1"])
    #expect(try await OperationRunner(all).run() == ["number 2", "number 2"])
    // Once as the dependency of a dependency, and once on its own.
    let nested = describe.inject(from: describe.injectResult(from: number)) { builder, _, _ in
      builder.requirement = 7
    }
    #expect(try await OperationRunner(nested).run() == "number 7")
    #expect(try await OperationRunner(number).run() == 4)
    #expect(count.count == 4)
  }

  @Test("A shared dependency has its own retries, and its dependents get the remaining failure")
  func sharedRetries() async {
    let count = Log<Int>()
    let failing = Block<Int> { _ in throw TestError(number: count.append(0)) }
    let shared = failing.retry(RetryPolicy(limit: 2, backoff: OperationBackoff.none)).shared()
    let all = [describe.injectResult(from: shared), describe.injectResult(from: shared)].collectResults()
    let failure = await error(of: all) as? CollectedResultsError
    #expect(failure?.failures.count == 2)
    #expect(count.count == 3)
  }

  @Test("What dependents share is released at the end of the run")
  func sharedRelease() async throws {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let made = Token()
      token = made
      let number = Block { [made] _ in withExtendedLifetime(made) { 1 } }.shared()
      let all = [describe.injectResult(from: number), describe.injectResult(from: number)].collectResults()
      _ = try await OperationRunner(all).run()
    }
    #expect(token == nil)
  }
}
