/// Hashes to which a plugin is pinned: it is loaded only if its file has one of them.
public struct PluginPin: Sendable, Hashable {
  /// SHA-256 hashes as 64 lower-case hexadecimal digits.
  public let hashes: [String]
  /// The place of the pin, for messages: `'plugins.lock'`, `the pipeline file`.
  public let place: String

  /// How to pin the present file, for messages.
  let remedy: String

  /// Creates a pin to `hashes`, located in `place`.
  public init(hashes: [String], place: String) {
    self.init(hashes: hashes, place: place, remedy: "write the new one there")
  }

  init(hashes: [String], place: String, remedy: String) {
    self.hashes = hashes.map { $0.lowercased() }
    self.place = place
    self.remedy = remedy
  }

  /// Creates the pin that a pipeline file has for a plugin; nil if it has none.
  public init?(_ reference: PluginReference) {
    guard let hash = reference.sha256 else { return nil }
    self.init(hashes: [hash], place: "the pipeline file")
  }

  func check(_ hash: String) throws(Refusal) {
    guard !hashes.contains(hash) else { return }
    if let wrong = hashes.first(where: { !PluginHash.isValid($0) }) {
      throw Refusal(
        .hashMismatch,
        "\(place) pins it to \(wrong.quotedForMessage), which is not a SHA-256 of 64 hexadecimal digits",
        fix: "its own is \(hash)")
    }
    throw Refusal(
      .hashMismatch,
      "its SHA-256 is \(hash), but \(place) pins it to \(hashes.isEmpty ? "nothing" : hashes.joined(separator: " or "))",
      fix: "find out why it changed; if the change is intended, \(remedy)")
  }
}
