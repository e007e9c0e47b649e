/// The name of a log in the directory of its run: a number, and the stream written to it, such as `12.out` and `12.err`.
package struct LogName: Sendable, Hashable {
  package let number: Int
  package let isError: Bool

  package init(number: Int, isError: Bool) {
    self.number = number
    self.isError = isError
  }

  /// Parses a name; nil if it is not that of a log.
  package init?(_ text: some StringProtocol) {
    guard let dot = text.firstIndex(of: "."), let number = Int(text[..<dot]), number >= 0 else { return nil }
    self.init(number: number, isError: text[dot...] == Self.errorSuffix)
    guard text == self.text else { return nil }
  }

  private static let errorSuffix = ".err"

  package var text: String { "\(number)" + (isError ? Self.errorSuffix : ".out") }
}
