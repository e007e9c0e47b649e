import Values

/// The secrets that a run knows, with the masker for all of them.
struct KnownSecrets: Sendable {
  /// The values of the pipeline's own secrets, by name.
  var own: [String: String] = [:]
  /// All values: its own, and those of the runs around it.
  var values: [String]
  var masker: SecretMasker

  /// Maskers for fewer bytes of secrets than this are built on the calling thread.
  private static let quick = 4096
  /// The maximum size of all secrets of a run together, in bytes; the masker takes 200 times as many.
  static let limit = 4 << 20

  /// Creates the secrets of the runs around a run.
  init(values: [String] = [], masker: SecretMasker = SecretMasker([])) {
    self.values = values
    self.masker = masker
  }

  /// Builds the masker for the secrets, on a separate thread if they are large: 0.4 s for 4,000 lines.
  ///
  /// - Throws: `CancellationError` immediately if the task is cancelled; the masker is discarded when it is ready. ``EngineError/secrets(_:)`` if the
  ///   secrets exceed ``limit``.
  init(own: [String: String], inherited: [String]) async throws {
    self.own = own
    values = Array(own.values) + inherited
    let size = values.reduce(0) { $0 + $1.utf8.count }
    guard size <= Self.limit else {
      let largest = own.max { $0.value.utf8.count < $1.value.utf8.count }?.key ?? ""
      let (size, limit) = (SizeNotation.format(Int64(size)), SizeNotation.format(Int64(Self.limit)))
      throw EngineError.secrets([
        UnreadableSecret(
          name: largest, reason: "the secrets of the run have a total size of \(size), but the limit is \(limit)")
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
