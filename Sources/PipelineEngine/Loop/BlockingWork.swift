/// What may take longer than a millisecond: done beside the event loop, on the threads of the process.
enum BlockingWork {
  /// More bytes than can be read, parsed or written in a millisecond.
  static let large = 64 << 10

  /// Returns what `body` does: beside the loop where `isLarge`, else at once.
  static func run<T: Sendable>(
    if isLarge: Bool, isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await isLarge ? run(isolation: isolation, body) : body()
  }

  /// Returns what `body` does, which may wait for files.
  static func run<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withTaskExecutorPreference(globalConcurrentExecutor) { try await perform(body) }
  }

  @concurrent private static func perform<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
    try body()
  }
}
