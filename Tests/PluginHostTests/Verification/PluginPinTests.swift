import Foundation
import Testing

@testable import PluginHost

@Suite("A pinned plugin")
struct PluginPinTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func sound() throws -> String {
    try scratch.write(bytes(of: TestPlugin.compile(TestPlugin.Source())), to: "echo.so")
  }

  @Test("the hash is SHA-256")
  func hash() throws {
    // From the standard, FIPS 180-2, appendix B: "abc", and a million times "a".
    for (text, expected) in [
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ] {
      let descriptor = open(try scratch.write(text, to: "file"), O_RDONLY)
      defer { close(descriptor) }
      #expect(try PluginHash.sha256(ofDescriptor: descriptor) == expected)
    }
  }

  @Test("a copy for children has the verified content, cannot be changed, and is not made from anything else")
  func copied() throws {
    let path = try sound()
    let verified = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine))
    let hash = try verified.sha256()
    let copy = try PluginCopy(of: verified)
    #expect(try PluginHash.sha256(ofDescriptor: copy.descriptor) == hash)
    let writer = open("/proc/self/fd/\(copy.descriptor)", O_RDWR)
    #expect(write(writer < 0 ? copy.descriptor : writer, "x", 1) == -1)
    if writer >= 0 { close(writer) }
    // Written to the same file, as `cp` does, at once and with the old times.
    var status = stat()
    #expect(stat(path, &status) == 0)
    let file = open(path, O_WRONLY)
    #expect(pwrite(file, "x", 1, 4096) == 1)
    futimens(file, [status.st_atim, status.st_mtim])
    close(file)
    #expect(try PluginHash.sha256(ofDescriptor: copy.descriptor) == hash)
    #expect(throws: PluginError.self) { try PluginCopy(of: verified) }
  }

  @Test("a matching hash is accepted, and every pin counts")
  func matching() throws {
    let path = try sound()
    let hash = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine)).sha256()
    let other = String(repeating: "0", count: 64)
    let right = PluginPin(hashes: [other, hash.uppercased()], place: "'plugins.lock'")
    #expect(verification(of: path, pins: [right]).code == nil)
    let wrong = PluginPin(hashes: [other], place: "the pipeline file")
    #expect(verification(of: path, pins: [right, wrong]).code == .hashMismatch)
  }

  @Test("another hash is refused with both hashes and the place of the pin")
  func different() throws {
    let path = try sound()
    let hash = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine)).sha256()
    let other = String(repeating: "0", count: 64)
    let reference = PluginReference(sha256: other)
    let pin = try #require(PluginPin(reference))
    #expect(
      verification(of: path, pins: [pin])
        == (
          .hashMismatch,
          "the plugin '\(path)' is refused: its SHA-256 is \(hash), and the pipeline file pins it to \(other); "
            + "find out why it changed; if the change is intended, write the new one there"
        ))
    #expect(PluginPin(PluginReference()) == nil)
  }

  @Test("an invalid hash in a pin is reported, with the correct one")
  func broken() throws {
    let (code, message) = verification(of: try sound(), pins: [PluginPin(hashes: ["abc"], place: "the pipeline file")])
    #expect(code == .hashMismatch)
    #expect(
      message.contains(
        "the pipeline file pins it to 'abc', which is not a SHA-256 of 64 hexadecimal digits; its own is "))
  }

  @Test("a file that changes while it is read has no hash")
  func changing() throws {
    let path = try sound()
    let verified = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine))
    #expect(truncate(path, 100) == 0)
    let error = #expect(throws: PluginError.self) { try verified.sha256() }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("it changed while it was read") == true)
  }
}
