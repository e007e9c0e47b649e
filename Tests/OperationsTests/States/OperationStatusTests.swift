import Operations
import Testing

@Suite("Operation status")
struct OperationStatusTests {
  private typealias Status = OperationStatus<Int, any Error>

  @Test("The properties describe the status")
  func helpers() {
    let success = Status.result(.success(1))
    let failure = Status.result(.failure(TestError()))
    let cancelled = Status.result(.failure(CancellationError()))
    #expect(Status.idle.isIdle && !success.isIdle)
    #expect(Status.loading.isLoading && !Status.idle.isLoading)
    #expect(success.isFinished && failure.isFinished && !Status.loading.isFinished)
    #expect(success.isSuccessful && !failure.isSuccessful)
    #expect(failure.isFailure && !failure.isCancelled && cancelled.isCancelled)
    #expect(success.resultValue == 1 && failure.resultValue == nil)
    #expect(failure.resultError as? TestError == TestError())
  }

  @Test("A value can be transformed, and other statuses stay the same")
  func maps() {
    let success = OperationStatus<Int, TestError>.result(.success(1))
    #expect(success.mapSuccess { "\($0)" } == .result(.success("1")))
    #expect(OperationStatus<Int, TestError>.loading.mapSuccess { "\($0)" } == .loading)
    #expect(success.flatMapSuccess { _ in OperationStatus<String, TestError>.idle } == .idle)
    let failure = OperationStatus<Int, TestError>.result(.failure(TestError()))
    #expect(failure.flatMapSuccess { _ in OperationStatus<String, TestError>.idle } == .result(.failure(TestError())))
  }
}
