import Foundation
import Glibc
import Testing

@testable import Pipelines

@Suite("Log files") struct LogFilePoolTests {
  private let directory = NSTemporaryDirectory() + "penstock-logs-\(UUID().uuidString)"

  private func pool() -> LogFilePool { LogFilePool(workspace: directory, relative: "runs/a") }

  init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }

  @Test("that stayed empty serve the next attempt") func reuse() throws {
    let pool = pool()
    let first = try pool.take()
    pool.giveBack(first, sizes: first.sizes())
    #expect(try pool.take() === first)
  }

  @Test("with content belong to their attempt for good") func kept() throws {
    let pool = pool()
    let first = try pool.take()
    _ = write(first.outputDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    #expect(try pool.take() !== first)
  }

  @Test("that another process still has open are never handed on") func held() throws {
    let pool = pool()
    let first = try pool.take()
    let other = open(first.output.pointer, O_WRONLY | O_APPEND)
    defer { close(other) }
    pool.giveBack(first, sizes: first.sizes())
    #expect(try pool.take() !== first)
  }

  @Test("are for their owner alone") func permissions() throws {
    let files = try pool().take()
    var status = stat()
    let found = stat(files.output.pointer, &status)
    #expect(found == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("that stayed empty are gone after the run") func removed() throws {
    let pool = pool()
    let (first, second) = (try pool.take(), try pool.take())
    _ = write(second.errorDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    pool.giveBack(second, sizes: second.sizes())
    pool.removeEmpty()
    #expect(access(first.output.pointer, F_OK) != 0)
    #expect(access(second.error.pointer, F_OK) == 0)
  }

  @Test("of a former host are left alone") func formerHost() throws {
    let first = try pool().take()
    let second = try pool().take()
    #expect(first.relativeOutput == "runs/a/1.out")
    #expect(second.relativeOutput == "runs/a/2.out")
  }
}
