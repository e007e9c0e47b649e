import Foundation
import Glibc
import Testing

@testable import PipelineEngine

@Suite("The pipe of a process that receives a secret") struct MaskingPipeTests {
  private let directory = NSTemporaryDirectory() + "penstock-mask-\(UUID().uuidString)"
  private let thread = MaskingThread()

  init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }

  private func log() throws -> CString {
    let path = directory + "/1.out"
    try Data().write(to: URL(fileURLWithPath: path))
    return CString(path)
  }

  @Test("writes everything to the log, masked") func whole() async throws {
    let log = try log()
    let pipe = try MaskingPipe(to: log, masker: SecretMasker(["hunter2"]), on: thread.loop())
    for _ in 0..<3000 { #expect(write(pipe.writeEnd, "a hunter2 b\n", 12) == 12) }
    pipe.closeWriteEnd()
    try await pipe.finish()
    #expect(try String(contentsOfFile: log.string, encoding: .utf8) == String(repeating: "a *** b\n", count: 3000))
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test("reports a log that cannot be written, and lets the process continue") func full() async throws {
    let pipe = try MaskingPipe(to: CString("/dev/full"), masker: SecretMasker(["hunter2"]), on: thread.loop())
    for _ in 0..<100 { #expect(write(pipe.writeEnd, String(repeating: "x", count: 4096), 4096) == 4096) }
    pipe.closeWriteEnd()
    await #expect(throws: EngineError.file("/dev/full", ENOSPC)) { try await pipe.finish() }
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test("ends with its process, even if a process left behind continues to write", .timeLimit(.minutes(1)))
  func leftBehind() async throws {
    let log = try log()
    let pipe = try MaskingPipe(to: log, masker: SecretMasker(["hunter2"]), on: thread.loop())
    let end = dup(pipe.writeEnd)
    pipe.closeWriteEnd()
    signal(SIGPIPE, SIG_IGN)
    let flood = Thread {
      let text = [UInt8](repeating: 0x78, count: 4096)
      while write(end, text, text.count) > 0 {}
      close(end)
    }
    flood.start()
    try await pipe.finish()
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test("cannot be opened without a log") func missing() throws {
    #expect(throws: EngineError.file(directory + "/none", ENOENT)) {
      _ = try MaskingPipe(to: CString(directory + "/none"), masker: SecretMasker(["hunter2"]), on: thread.loop())
    }
    try FileManager.default.removeItem(atPath: directory)
  }
}
