import PipelineLanguage
import RunHistory
import Values

/// Results that take longer than a millisecond to mask or serialize. This is done off the event loop.
extension Run {
  /// Writes the result of an attempt that is about to be recorded if it is large, for ``RunRecorder/recorded(_:of:)``. If this fails, that function
  /// tries to write the result itself, and reports the error.
  nonisolated(nonsending) func writeIfLarge(_ ordinal: Int, _ outcome: Result<OperationResult, any Error>) async {
    guard case .success(.value(let value)) = outcome, value.isLarge else { return }
    state.files.written[ordinal] = try? await waitingOut(ordinal) { try await written(value) }
  }

  /// Returns a result without secrets, as it is passed on and kept: ``RunSecrets/without(_:of:)``, off the event loop if it is large.
  nonisolated(nonsending) func withoutSecrets(
    _ value: JSONValue, of node: OperationNode, isLarge: Bool
  ) async throws(OperationFailure) -> JSONValue {
    let (masker, type) = (state.given.masker, node.definition.result)
    guard isLarge, node.definition.receivesSecret, !masker.isEmpty else { return try secrets.without(value, of: node) }
    return try await BlockingWork.run(if: isLarge) { () throws(OperationFailure) in
      try RunSecrets.masked(value, by: masker, as: type)
    }
  }

  /// Checks a computed value that is not large against its declared type. It must be representable as JSON, or a resumed run would lose it.
  func checkedValue(_ value: JSONValue, _ ordinal: Int) throws -> JSONValue {
    let node = state.instances[ordinal].node
    try Self.check(value, as: node.definition.result)
    return try secrets.without(value, of: node)
  }

  /// Checks a large computed value in the same way, off the event loop.
  nonisolated(nonsending) func checkedLargeValue(_ value: JSONValue, _ ordinal: Int) async throws -> JSONValue {
    let node = state.instances[ordinal].node
    let type = node.definition.result
    try await BlockingWork.run { try Self.check(value, as: type) }
    return try await withoutSecrets(value, of: node, isLarge: true)
  }

  private static func check(_ value: JSONValue, as type: ValueType?) throws {
    if let problem = value.problemBeyondJSON {
      throw OperationFailure(
        code: "result-invalid", message: "the value \(problem); give it as text, or leave it out")
    }
    if let type { _ = try ResultText.checked(value, as: type) }
  }

  /// Returns the texts that the history keeps of the large items, by index.
  nonisolated(nonsending) func recordedTexts(ofLarge items: [JSONValue]) async -> [Int: String] {
    let large = items.indices.filter { items[$0].isLarge }.map { ($0, items[$0]) }
    guard !large.isEmpty else { return [:] }
    let masker = state.given.masker
    return await BlockingWork.run {
      Dictionary(uniqueKeysWithValues: large.map { ($0, masker.mask($1.text)) })
    }
  }

  /// Returns the form in which a value is recorded.
  nonisolated(nonsending) func written(_ value: JSONValue) async throws -> RecordedResult {
    guard value.isLarge else { return try recorder.recorded(.value(value)) }
    let bytes = await BlockingWork.run { RunRecorder.bytes(of: value) }
    guard bytes.count > RecordedResult.inlineLimit else { return RunRecorder.inline(bytes) }
    while true {
      let place = try recorder.nextPlace()
      if try await BlockingWork.run({ try place.write(bytes) }) { return place.result(size: bytes.count) }
    }
  }
}

extension JSONValue {
  /// Whether serializing the value takes longer than a millisecond. Examines no more of it than necessary.
  var isLarge: Bool {
    var left = BlockingWork.large
    take(from: &left)
    return left < 0
  }

  private func take(from left: inout Int) {
    switch self {
    case .string(let text): left -= text.utf8.count
    case .array(let items):
      left -= items.count
      for item in items where left >= 0 { item.take(from: &left) }
    case .object(let members):
      for (name, value) in members where left >= 0 {
        left -= name.utf8.count + 4
        value.take(from: &left)
      }
    case .null, .bool, .int, .double: left -= 4
    }
  }
}
