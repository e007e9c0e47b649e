/// Work that may take longer than a millisecond, performed off the event loop on the process's thread pool.
enum BlockingWork {
  /// More bytes than can be read, parsed or written in a millisecond.
  static let large = 64 << 10

  /// Returns the result of `body`, which runs off the event loop if `isLarge`, otherwise immediately.
  static func run<T: Sendable, Failure: Error>(
    if isLarge: Bool, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if isLarge { return try await run(isolation: isolation, body) }
    return try body()
  }

  /// Returns the result of `body`, which may wait for files and runs off the event loop.
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
