import Crypto
import Expressions
import Values

/// Hashes named values, each with its length, so that different lists cannot collide.
package struct FingerprintInputs {
  private var hash = SHA256()

  package init(hash: SHA256 = SHA256()) {
    self.hash = hash
  }

  package mutating func add(_ name: String, _ value: String) {
    for text in [name, value] {
      hash.update(data: Array("\(text.utf8.count):".utf8))
      hash.update(data: Array(text.utf8))
    }
  }

  package var digest: String { hash.finalize().hexadecimal }
}

extension YAMLNode {
  /// The SHA-256 hash of the node's contents: its texts and their quoting, with aliases expanded, without comments and positions.
  var contentHash: String {
    var inputs = FingerprintInputs()
    add(to: &inputs)
    return inputs.digest
  }

  /// Adds the contents of the node. With `regardsQuotes`, quotes matter even around text that would also be text without them.
  func add(to inputs: inout FingerprintInputs, regardsQuotes: Bool = true) {
    let tag = tag ?? ""
    switch content {
    case .scalar(let text, let style):
      let isText = style != .plain || !regardsQuotes && coreScalar?.stringValue != nil
      inputs.add((isText ? "text" : "plain") + tag, text)
    case .sequence(let items):
      inputs.add("list" + tag, "\(items.count)")
      for item in items { item.add(to: &inputs, regardsQuotes: regardsQuotes) }
    case .mapping(let entries):
      inputs.add("mapping" + tag, "\(entries.count)")
      for entry in entries {
        entry.key.add(to: &inputs, regardsQuotes: regardsQuotes)
        entry.value.add(to: &inputs, regardsQuotes: regardsQuotes)
      }
    }
  }
}
