import PipelineLanguage
import Values

/// The inputs of a fingerprint: ordered named values, whose hash is computed off the event loop if they are large.
struct FingerprintValues: Sendable {
  private enum Value {
    case text(String)
    /// Hashed as its JSON text.
    case data(JSONValue)
  }

  private var values: [(name: String, value: Value)] = []
  /// Whether hashing them takes longer than a millisecond.
  private(set) var isLarge = false

  mutating func add(_ name: String, _ text: String) {
    values.append((name, .text(text)))
    if text.utf8.count > BlockingWork.large { isLarge = true }
  }

  mutating func add(_ name: String, _ value: JSONValue) {
    values.append((name, .data(value)))
    if value.isLarge { isLarge = true }
  }

  var digest: String {
    var inputs = FingerprintInputs()
    for (name, value) in values {
      switch value {
      case .text(let text): inputs.add(name, text)
      case .data(let value): inputs.add(name, value.text)
      }
    }
    return inputs.digest
  }
}
