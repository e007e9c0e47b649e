/// What may take longer than a millisecond: done beside the event loop, on the threads of the process.
enum BlockingWork {
  /// More bytes than can be read, parsed or written in a millisecond.
  static let large = 64 << 10

  /// Returns what `body` does: beside the loop where `isLarge`, else at once.
  static func run<T: Sendable, Failure: Error>(
    if isLarge: Bool, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if isLarge { return try await run(isolation: isolation, body) }
    return try body()
  }

  /// Returns what `body` does, which may wait for files.
  static func run<T: Sendable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Failure) -> T in
      try await perform(body)
    }
  }

  @concurrent private static func perform<T: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try body()
  }
}
