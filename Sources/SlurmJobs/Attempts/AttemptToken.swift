/// Identifies one start of one attempt, whatever numbers Slurm gives to its job: `penstock-<run>-<ordinal>-<attempt>-<6 random>`.
///
/// Slurm forgets an accepted job if its controller dies soon afterwards, and gives its number to another one.
package struct AttemptToken: Sendable, Hashable {
  package let text: String

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

  /// Creates a new token.
  package init(run: String, ordinal: Int, attempt: Int) {
    var random = SystemRandomNumberGenerator()
    let suffix = String((0..<6).map { _ in Self.alphabet[Int.random(in: 0..<32, using: &random)] })
    text = Self.prefix(run: run, ordinal: ordinal, attempt: attempt) + suffix
  }

  /// Reads a token; nil if the text is not one.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "penstock", Int(parts[2]) != nil, Int(parts[3]) != nil,
      text.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.text = String(text)
  }

  /// What the tokens of all starts of one attempt begin with.
  package static func prefix(run: String, ordinal: Int, attempt: Int) -> String {
    "penstock-\(run)-\(ordinal)-\(attempt)-"
  }
}
