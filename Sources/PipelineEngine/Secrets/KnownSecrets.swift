import Values

/// What a run knows to be secret, with what masks all of it.
struct KnownSecrets: Sendable {
  /// The values of the pipeline's own secrets, by name.
  var own: [String: String] = [:]
  /// All values: its own, and those of the runs around it.
  var values: [String]
  var masker: SecretMasker

  /// A masker of fewer bytes of secrets is built where the caller runs.
  private static let quick = 4096
  /// All secrets of a run together may have as many bytes; what masks them takes 200 times as many.
  static let limit = 4 << 20

  /// Those of the runs around a run.
  init(values: [String] = [], masker: SecretMasker = SecretMasker([])) {
    self.values = values
    self.masker = masker
  }

  /// Builds what masks the secrets, on a thread of its own where there is much to build: 0.4 s for 4,000 lines.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled; what is being built is dropped when it is ready. ``EngineError/secrets(_:)`` where
  ///   there is more than ``limit``.
  init(own: [String: String], inherited: [String]) async throws {
    self.own = own
    values = Array(own.values) + inherited
    let size = values.reduce(0) { $0 + $1.utf8.count }
    guard size <= Self.limit else {
      let largest = own.max { $0.value.utf8.count < $1.value.utf8.count }?.key ?? ""
      let (size, limit) = (SizeNotation.format(Int64(size)), SizeNotation.format(Int64(Self.limit)))
      throw EngineError.secrets([
        UnreadableSecret(name: largest, reason: "the secrets of the run have \(size) together; the limit is \(limit)")
      ])
    }
    masker = size <= Self.quick ? SecretMasker(values) : try await Self.masker(of: values)
  }

  private static func masker(of values: [String]) async throws -> SecretMasker {
    let (built, sink) = AsyncThrowingStream<SecretMasker, any Error>.makeStream()
    let work = Task {
      sink.yield(SecretMasker(values))
    }
    return try await withTaskCancellationHandler {
      for try await masker in built { return masker }
      throw CancellationError()
    } onCancel: {
      work.cancel()
      sink.finish(throwing: CancellationError())
    }
  }
}
