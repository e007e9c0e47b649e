import RunHistory
import Values

/// Results that take longer than a millisecond to be written as text: that is done beside the event loop.
extension RunEngine {
  /// Writes the result of an attempt that is about to be recorded, where it is large; ``RunRecorder/recorded(_:of:)`` finds it then. What cannot be written
  /// now, it tries to write itself, and reports.
  func writeIfLarge(_ ordinal: Int, _ outcome: Result<OperationResult, any Error>) async {
    guard case .success(.value(let value)) = outcome, value.isLarge else { return }
    state.files.written[ordinal] = try? await written(value)
  }

  /// The form in which a value is recorded.
  func written(_ value: JSONValue) async throws -> RecordedResult {
    guard value.isLarge else { return try recorder.recorded(.value(value)) }
    let bytes = try await BlockingWork.run { RunRecorder.bytes(of: value) }
    guard bytes.count > RecordedResult.inlineLimit else { return RunRecorder.inline(bytes) }
    while true {
      let place = try recorder.nextPlace()
      if try await BlockingWork.run({ try place.write(bytes) }) { return place.result(size: bytes.count) }
    }
  }
}

extension JSONValue {
  /// Whether its text is longer than what can be written in a millisecond. Looks at no more of it than that.
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
