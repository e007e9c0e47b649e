import Testing

@testable import penstock

@Suite("Answers by key")
struct KeyInputTests {
  @Test(
    "only a single key is an answer; pasted text and special keys are not",
    arguments: [
      ("y", .yes), ("Y", .yes), ("n", .no), ("N", .no), ("y\n", .yes), ("n\r", .no), ("yes\n", nil), ("yy", nil),
      ("\u{1B}y", nil),
      ("\u{1B}[A", nil), ("\n", nil), (" ", nil), ("", nil), ("ý", nil),
    ] as [(String, KeyInput.Key?)])
  func key(typed: String, key: KeyInput.Key?) {
    #expect(KeyInput.key(Array(typed.utf8)[...]) == key)
  }
}
