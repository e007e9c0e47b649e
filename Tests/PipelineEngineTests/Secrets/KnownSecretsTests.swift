import Testing

@testable import PipelineEngine

@Suite("The secrets that a run knows", .timeLimit(.minutes(1))) struct KnownSecretsTests {
  private let lines = (0..<4000).map { "line \($0) of a long secret" }.joined(separator: "\n")

  @Test("are not waited for when the run is cancelled while their masker is being built") func cancelled() async throws
  {
    let task = Task { [lines] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await KnownSecrets(own: ["s": lines], inherited: [])
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("are masked completely, whether the masker is built on this thread or another") func masked() async throws {
    let known = try await KnownSecrets(own: ["s": lines, "t": "a short one"], inherited: ["from around"])
    #expect(known.masker.mask("line 7 of a long secret, a short one, from around") == "***, ***, ***")
    let small = try await KnownSecrets(own: ["t": "a short one"], inherited: ["from around"])
    #expect(small.masker.mask("a short one, from around") == "***, ***")
  }

  @Test("are limited in size") func bounded() async throws {
    let large = Dictionary(uniqueKeysWithValues: (0..<5).map { ("s\($0)", String(repeating: "\($0)", count: 1 << 20)) })
    do {
      _ = try await KnownSecrets(own: large, inherited: [])
      Issue.record("5 MiB of secrets were taken")
    } catch let error as EngineError {
      #expect(
        error.description.hasSuffix("the secrets of the run have a total size of 5MiB, but the limit is 4MiB"),
        "\(error)")
    }
  }
}
