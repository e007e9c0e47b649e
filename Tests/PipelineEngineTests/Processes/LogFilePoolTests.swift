import Foundation
import Glibc
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("Log files") struct LogFilePoolTests {
  private let directory = NSTemporaryDirectory() + "penstock-logs-\(UUID().uuidString)"

  private func pool() -> LogFilePool { LogFilePool(workspace: directory, relative: "runs/a") }

  init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }

  /// Writes to a file as the process of an attempt does.
  private func append(to path: CString) {
    let descriptor = open(path.pointer, O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(descriptor, "x", 1) == 1)
    close(descriptor)
  }

  @Test("that stayed empty are reused by the next attempt") func reuse() throws {
    let pool = pool()
    let first = try pool.take()
    pool.giveBack(first)
    let second = try pool.take()
    #expect(second.relativeOutput == first.relativeOutput)
    #expect(second.relativeError == first.relativeError)
  }

  @Test("that are kept for later attempts are deleted if others lack descriptors") func shortage() throws {
    let pool = pool()
    let first = try pool.take()
    append(to: first.output)
    pool.giveBack(first)
    pool.giveBackSpares()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/runs/a").sorted() == ["1.out", "folder"])
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out" && second.relativeError == "runs/a/2.err")
  }

  @Test("are not created through a link that replaces the run's directory") func link() throws {
    let (runs, elsewhere) = (directory + "/runs", directory + "/elsewhere")
    for path in [runs, elsewhere] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    #expect(symlink(elsewhere, runs + "/a") == 0)
    #expect(throws: EngineError.file(runs + "/a", ENOTDIR)) { try pool().take() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
  }

  @Test("are not created through a link that has replaced a directory since") func laterLink() throws {
    let (runs, elsewhere) = (directory + "/runs", directory + "/elsewhere")
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    #expect(symlink(elsewhere, runs) == 0)
    #expect(throws: EngineError.file(runs, ENOTDIR)) { try pool().take() }
    unlink(runs)
    let later = pool()
    _ = try later.take()
    for path in [runs + "/a", runs] {
      #expect(rename(path, path + "-moved") == 0 && symlink(elsewhere, path) == 0)
      #expect(throws: EngineError.file(path, ENOTDIR)) { try later.take() }
      unlink(path)
      #expect(rename(path + "-moved", path) == 0)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    _ = try later.take()
  }

  @Test("with content belong to their attempt permanently") func kept() throws {
    let pool = pool()
    let first = try pool.take()
    append(to: first.output)
    append(to: first.error)
    pool.giveBack(first)
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/2.err")
  }

  @Test("are reused individually: an attempt that printed to one stream leaves the other file") func halves() throws {
    let pool = pool()
    let first = try pool.take()
    append(to: first.output)
    pool.giveBack(first)
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/1.err")
    #expect(second.result.string.hasSuffix("/runs/a/2.result"))
    append(to: second.error)
    pool.giveBack(second)
    let third = try pool.take()
    #expect(third.relativeOutput == "runs/a/2.out")
    #expect(third.relativeError == "runs/a/2.err")
  }

  @Test("that are reused come with a new place for the result, unknown to earlier processes") func places()
    throws
  {
    let pool = pool()
    var places: Set<String> = []
    for _ in 1...3 {
      let files = try pool.take()
      #expect(files.relativeOutput == "runs/a/1.out")
      #expect(places.insert(files.result.string).inserted)
      #expect(files.resultVariable.string == "PENSTOCK_RESULT=\(files.result.string)")
      pool.giveBack(files)
    }
    // Even if the former host of the run had such a place, and left something there.
    let other = self.pool()
    _ = try other.runDirectory()
    for name in ["1.result", "2-2.result", "2-3.result"] {
      try Data("former".utf8).write(to: URL(fileURLWithPath: "\(directory)/runs/a/\(name)"))
    }
    unlink("\(directory)/runs/a/1.out")
    for expected in ["2.result", "2-4.result"] {
      let files = try other.take()
      #expect(files.result.string.hasSuffix("/\(expected)"))
      other.giveBack(files)
    }
  }

  @Test("are removed at the end of the run, along with unclaimed result files, except kept ones")
  func lateResults() throws {
    let pool = pool()
    let files = [try pool.take(), try pool.take(), try pool.take()]
    for files in files { close(open(files.result.pointer, O_WRONLY | O_CREAT, 0o644)) }
    pool.keepResult(files[1].result.string)
    unlink(files[2].result.pointer)
    try FileManager.default.createDirectory(
      atPath: files[2].result.string + "/deep", withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(fileURLWithPath: files[0].result.string + ".masked"))
    for files in files { pool.giveBack(files) }
    pool.removeEmpty()
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/runs/a") == ["2.result"])
  }

  @Test("that the history refers to are not reused, and are removed after the run if they stayed empty") func named()
    throws
  {
    let pool = pool()
    let first = try pool.take()
    append(to: first.output)
    pool.giveBack(first, areNamed: true)
    let second = try pool.take()
    #expect(second.relativeOutput == "runs/a/2.out")
    #expect(second.relativeError == "runs/a/2.err")
    #expect(access(first.error.pointer, F_OK) == 0)
    pool.removeEmpty()
    #expect(access(first.output.pointer, F_OK) == 0)
    #expect(access(first.error.pointer, F_OK) != 0)
  }

  @Test("for standard error only come without a file for standard output") func errorsAlone() throws {
    let pool = pool()
    #expect(try pool.takeError().relative == "runs/a/1.err")
    #expect(access("\(directory)/runs/a/1.out", F_OK) != 0)
    let files = try pool.take()
    #expect(files.relativeOutput == "runs/a/1.out")
    #expect(files.relativeError == "runs/a/2.err")
  }

  @Test("that another process still has open are never reused") func held() throws {
    let pool = pool()
    let first = try pool.take()
    let other = open(first.output.pointer, O_WRONLY | O_APPEND)
    defer { close(other) }
    pool.giveBack(first)
    #expect(try pool.take().relativeOutput != first.relativeOutput)
  }

  @Test("that a reader has open are reused") func read() throws {
    let pool = pool()
    let first = try pool.take()
    let reader = open(first.output.pointer, O_RDONLY | O_CLOEXEC)
    defer { close(reader) }
    pool.giveBack(first)
    #expect(try pool.take().relativeOutput == first.relativeOutput)
  }

  @Test(
    "are checked without a signal for the host or a wait for readers, whatever opens them at that moment",
    arguments: [O_RDONLY | O_NONBLOCK, O_RDONLY, O_WRONLY | O_APPEND])
  func openedByOthers(flags: Int32) async throws {
    let pool = pool()
    let path = try { try pool.take() }().output.string
    let unreadable = await withTaskGroup(of: Int.self) { group in
      let isOver = Mutex(false)
      group.addTask {
        var refused = 0
        while !isOver.withLock({ $0 }) {
          let descriptor = open(path, flags | O_CLOEXEC)
          if descriptor >= 0 { close(descriptor) } else { refused += 1 }
        }
        return refused
      }
      for _ in 0..<5_000 {
        guard let files = try? pool.take() else { break }
        pool.giveBack(files)
        pool.settle()
      }
      isOver.withLock { $0 = true }
      return await group.reduce(0, +)
    }
    #expect(unreadable == 0)
  }

  @Test(
    "that were written to after their attempt had ended are neither reused nor removed", arguments: [false, true])
  func writtenLater(areNamed: Bool) throws {
    let pool = pool()
    let files = [try pool.take(), try pool.take()]
    // A process left behind by each attempt still has its files open, writes to one of them, and closes them before the pool checks.
    let held = files.map {
      [open($0.output.pointer, O_WRONLY | O_APPEND), open($0.error.pointer, O_WRONLY | O_APPEND)]
    }
    for files in files { pool.giveBack(files, areNamed: areNamed) }
    _ = write(held[0][0], "x", 1)
    _ = write(held[1][1], "x", 1)
    for descriptor in held.joined() { close(descriptor) }
    pool.settle()
    let next = [try pool.take(), try pool.take(), try pool.take()]
    let outputs = Set(next.map(\.relativeOutput))
    #expect(outputs.contains(files[1].relativeOutput) == !areNamed)
    #expect(!outputs.contains(files[0].relativeOutput))
    #expect(!next.map(\.relativeError).contains(files[1].relativeError))
    pool.removeEmpty()
    #expect(access(files[0].output.pointer, F_OK) == 0)
    #expect(access(files[1].error.pointer, F_OK) == 0)
  }

  @Test("of many attempts that end while none begins are not all kept open") func waiting() throws {
    let pool = pool()
    var files = try (0..<10).map { _ in try pool.take() }
    let descriptors = files.flatMap { [$0.outputDescriptor, $0.errorDescriptor] }
    for path in files.flatMap({ [$0.output, $0.error] }) { append(to: path) }
    while let last = files.popLast() { pool.giveBack(last) }
    // Descriptor numbers are reused, also by other tests.
    let open = descriptors.filter { descriptor in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return path?.hasPrefix(directory) == true
    }
    #expect(open.count <= 8)
  }

  @Test("are accessible only to their owner") func permissions() throws {
    let files = try pool().take()
    var status = stat()
    let found = stat(files.output.pointer, &status)
    #expect(found == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("that stayed empty are removed after the run") func removed() throws {
    let pool = pool()
    let (first, second) = (try pool.take(), try pool.take())
    append(to: second.error)
    pool.giveBack(first)
    pool.giveBack(second)
    pool.removeEmpty()
    #expect(access(first.output.pointer, F_OK) != 0)
    #expect(access(second.error.pointer, F_OK) == 0)
  }

  @Test("are created in advance if the latest attempt kept its own, and only then") func spares() throws {
    let pool = pool()
    let first = try pool.take()
    // It is not known yet whether attempts print anything.
    #expect(!pool.runsShort)
    append(to: first.output)
    pool.giveBack(first)
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
    pool.giveBack(second)
    pool.settle()
    #expect(!pool.runsShort)
  }

  @Test("that were created in advance and stayed empty are removed after the run, when no more are created")
  func sparesLeft()
    throws
  {
    let pool = pool()
    let first = try pool.take()
    append(to: first.output)
    append(to: first.error)
    pool.giveBack(first)
    pool.makeSpares()
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/runs/a")).count == 5)
    pool.removeEmpty()
    pool.makeSpares()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(directory)/runs/a").sorted() == ["1.err", "1.out"])
  }

  @Test("of a former host are not changed") func formerHost() throws {
    let first = try pool().take()
    let second = try pool().take()
    #expect(first.relativeOutput == "runs/a/1.out")
    #expect(second.relativeOutput == "runs/a/2.out")
  }
}
