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
    let second = try pool.take()
    #expect(second.relativeOutput == first.relativeOutput)
    #expect(second.relativeError == first.relativeError)
  }

  @Test("with content belong to their attempt for good") func kept() throws {
    let pool = pool()
    let first = try pool.take()
    _ = write(first.outputDescriptor, "x", 1)
    _ = write(first.errorDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/2.err")
  }

  @Test("serve the next attempt one by one: what printed to one stream leaves the other") func halves() throws {
    let pool = pool()
    let first = try pool.take()
    _ = write(first.outputDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/1.err")
    #expect(second.result.string.hasSuffix("/runs/a/2.result"))
    _ = write(second.errorDescriptor, "x", 1)
    pool.giveBack(second, sizes: second.sizes())
    let third = try pool.take()
    #expect(third.relativeOutput == "runs/a/2.out")
    #expect(third.relativeError == "runs/a/2.err")
  }

  @Test("whose result stays belong to their attempt, but for the file of errors") func keptResult() throws {
    let pool = pool()
    let first = try pool.take()
    let result = open(first.result.pointer, O_WRONLY | O_CREAT, 0o600)
    close(result)
    pool.giveBack(first, sizes: first.sizes())
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/1.err")
  }

  @Test("that the history names are not handed on, and gone after the run where they stayed empty") func named() throws
  {
    let pool = pool()
    let first = try pool.take()
    _ = write(first.outputDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes(), areNamed: true)
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/2.err")
    #expect(access(first.error.pointer, F_OK) == 0)
    pool.removeEmpty()
    #expect(access(first.output.pointer, F_OK) == 0)
    #expect(access(first.error.pointer, F_OK) != 0)
  }

  @Test("of what writes no standard output have no file for it") func errorsAlone() throws {
    let pool = pool()
    #expect(try pool.takeError().relative == "runs/a/1.err")
    #expect(access("\(directory)/runs/a/1.out", F_OK) != 0)
    let files = try pool.take()
    #expect(files.relativeOutput == "runs/a/1.out")
    #expect(files.relativeError == "runs/a/2.err")
  }

  @Test("that another process still has open are never handed on") func held() throws {
    let pool = pool()
    let first = try pool.take()
    let other = open(first.output.pointer, O_WRONLY | O_APPEND)
    defer { close(other) }
    pool.giveBack(first, sizes: first.sizes())
    #expect(try pool.take().relativeOutput != first.relativeOutput)
  }

  @Test("that are held when the pool looks at them are not handed on, though they were let go of later") func heldThen()
    throws
  {
    let pool = pool()
    let (first, second) = (try pool.take(), try pool.take())
    let other = open(first.error.pointer, O_WRONLY | O_APPEND)
    pool.giveBack(first, sizes: first.sizes())
    // Not looked at before.
    close(other)
    pool.settle()
    #expect(try pool.take().relativeError == first.relativeError)
    let another = open(second.error.pointer, O_WRONLY | O_APPEND)
    pool.giveBack(second, sizes: second.sizes())
    pool.settle()
    close(another)
    #expect(try pool.take().relativeError == "runs/a/3.err")
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

  @Test("are created ahead where the latest attempt has kept its own, and only there") func spares() throws {
    let pool = pool()
    let first = try pool.take()
    // Nobody knows yet whether attempts print anything.
    #expect(!pool.runsShort)
    _ = write(first.outputDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    pool.settle()
    #expect(pool.runsShort)
    pool.makeSpares()
    #expect(access("\(directory)/runs/a/2.out", F_OK) == 0)
    #expect(access("\(directory)/runs/a/2.err", F_OK) != 0)
    #expect(!pool.runsShort)
    pool.makeSpares()
    #expect(access("\(directory)/runs/a/3.out", F_OK) != 0)
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/1.err")
    #expect(pool.runsShort)
    pool.giveBack(second, sizes: second.sizes())
    pool.settle()
    #expect(!pool.runsShort)
  }

  @Test("that were created ahead and stayed empty are gone after the run, and none is created then") func sparesLeft()
    throws
  {
    let pool = pool()
    let first = try pool.take()
    _ = write(first.outputDescriptor, "x", 1)
    _ = write(first.errorDescriptor, "x", 1)
    pool.giveBack(first, sizes: first.sizes())
    pool.makeSpares()
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/runs/a")).count == 4)
    pool.removeEmpty()
    pool.makeSpares()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(directory)/runs/a").sorted() == ["1.err", "1.out"])
  }

  @Test("of a former host are left alone") func formerHost() throws {
    let first = try pool().take()
    let second = try pool().take()
    #expect(first.relativeOutput == "runs/a/1.out")
    #expect(second.relativeOutput == "runs/a/2.out")
  }
}
