import PipelineLanguage
import Values

/// What a fingerprint is made of: named values in their order, of which large ones are hashed beside the loop.
struct FingerprintValues: Sendable {
  private enum Value {
    case text(String)
    /// As its JSON text.
    case data(JSONValue)
  }

  private var values: [(name: String, value: Value)] = []
  /// Whether they are more than can be hashed in a millisecond.
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
