import Glibc
import OperatingSystem
import Testing

@testable import SlurmJobs

/// Replaces the letter `s`, and holds it back until the next piece.
private struct LetterMask: OutputMask {
  private var held: [UInt8] = []

  mutating func mask(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    defer { held = bytes.map { $0 == UInt8(ascii: "s") ? UInt8(ascii: "*") : $0 } }
    return held
  }

  mutating func finish() -> [UInt8] { held }
}

@Suite("Output with secrets")
struct MaskedOutputTests {
  @Test("everything that is written is masked, also what is held back")
  func masked() throws {
    let path = "/tmp/penstock-masked-\(getpid())"
    try SharedFile.write([], to: path)
    defer { unlink(path) }
    let output = try MaskedOutput(to: path, LetterMask())
    try SystemCall.writeAll(Array("a secret\n".utf8), to: output.writeEnd)
    try SystemCall.writeAll(Array("and another s\n".utf8), to: output.writeEnd)
    #expect(output.finish() == 0)
    #expect(SharedFile.end(of: path) == "a *ecret\nand another *\n")
  }

  @Test("what cannot be written is reported, and the program is not kept waiting")
  func full() throws {
    let output = try MaskedOutput(to: "/dev/full", LetterMask())
    for _ in 0..<100 { try SystemCall.writeAll([UInt8](repeating: 65, count: 4096), to: output.writeEnd) }
    #expect(output.finish() == ENOSPC)
  }

  @Test("an order with secrets is read as it was written, and nothing without a program is one")
  func order() {
    let order = SecretOrder(
      secrets: ["a\nb", "ü"], arguments: ["x", ""], environment: ["A": "1"], input: "line\n")
    #expect(SecretOrder(bytes: order.bytes) == order)
    #expect(SecretOrder(bytes: Array(#"{"secrets":[],"arguments":[],"environment":{}}"#.utf8)) == nil)
  }
}
