import Glibc
import Testing

@testable import PipelineEngine

@Suite("The environment of processes")
struct ProcessEnvironmentTests {
  /// Creates an environment of entries with these bytes.
  private func environment(_ entries: [[UInt8]]) -> ProcessEnvironment {
    var pointers: [UnsafeMutablePointer<CChar>?] = entries.map { entry in
      (entry + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { strdup($0) } }
      }
    }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return ProcessEnvironment(copying: pointers)
  }

  private func bytes(_ environment: ProcessEnvironment) -> [[UInt8]] {
    environment.list.strings.map { text in
      Array(UnsafeRawBufferPointer(start: text.pointer, count: strlen(text.pointer)))
    }
  }

  @Test("is passed on byte by byte, even if it is not UTF-8")
  func bytesStay() {
    let entries = [Array("A=1".utf8), Array("B=".utf8) + [0xFF, 0xFE, 0x41], Array("C=a=b".utf8), Array("D=".utf8)]
    #expect(bytes(environment(entries)) == entries)
  }

  @Test("supports a value that begins with a combining character")
  func combining() {
    let environment = environment([Array("ACCENT==\u{301}x".utf8), Array("MARK=\u{301}".utf8)])
    #expect(environment["ACCENT"] == "=\u{301}x")
    #expect(environment["MARK"] == "\u{301}")
    #expect(environment["ABSENT"] == nil)
  }

  @Test("distinguishes names that look alike or are not valid text")
  func names() {
    let (composed, decomposed) = (Array("\u{E9}=1".utf8), Array("e\u{301}=2".utf8))
    let entries = [composed, decomposed, [0xFF] + Array("=3".utf8), [0xFE] + Array("=4".utf8)]
    let environment = environment(entries)
    #expect(bytes(environment) == entries)
    #expect(environment["\u{E9}"] == "1")
    #expect(environment["e\u{301}"] == "2")
    #expect(environment["\u{FFFD}"] == nil)
  }

  @Test("uses the later of two values, and drops what is removed")
  func changes() {
    var environment = environment([Array("A=1".utf8), Array("B=2".utf8), Array("A=3".utf8), Array("no entry".utf8)])
    #expect(environment["A"] == "3")
    environment["B"] = nil
    environment["C"] = "4"
    #expect(bytes(environment) == [Array("A=3".utf8), Array("C=4".utf8)])
  }
}
