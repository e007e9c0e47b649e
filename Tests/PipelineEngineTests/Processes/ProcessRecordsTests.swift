import Foundation
import Glibc
import OperatingSystem
import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

@Suite("The records of a run's processes", .timeLimit(.minutes(5)))
struct ProcessRecordsTests {
  /// Starts processes on its own event loop.
  private actor Bench {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let runner: SpawnRunner
    private let records = ProcessRecords()
    private let directory: String

    init(_ loop: EventLoop, directory: String) {
      self.loop = loop
      self.directory = directory
      runner = SpawnRunner(loop: loop)
    }

    /// Runs a program; `started` is called when it is running.
    func run(_ arguments: [String], started: (Int32) -> Void) async throws -> ProcessExit {
      let strings = arguments.map(CString.init)
      let place = try records.take(in: directory)
      defer { records.giveBack(place) }
      let null = CString("/dev/null")
      let request = ProcessRequest(
        executable: strings[0], arguments: CStringList(strings), environment: CStringList([]), directory: nil,
        input: .empty, output: .file(null), error: .file(null), grace: .seconds(1), record: place)
      return try await runner.run(isolation: self, request, started: started, exited: { _ in })
    }
  }

  private let run = RunID.generate()
  private let workspace = NSTemporaryDirectory() + "penstock-records-\(UUID().uuidString)"
  private var directory: String { "\(workspace)/runs/\(run.text)" }
  private var path: String { "\(directory)/processes" }

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private func remove() { try? FileManager.default.removeItem(atPath: workspace) }

  private var content: ProcessRecords.Content? { ProcessRecords.read(of: run, in: workspace) }

  /// Runs `count` processes one after another, and returns their ids with their start times.
  private func record(_ count: Int) async throws -> [ProcessTable.Entry] {
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let bench = Bench(loop, directory: directory)
    var entries: [ProcessTable.Entry] = []
    for _ in 0..<count {
      _ = try await bench.run(["/bin/sleep", "300"]) { pid in
        while ProcessTable.environment(of: pid)?.isEmpty != true { usleep(1000) }
        if let entry = ProcessTable.entry(of: pid) { entries.append(entry) }
        kill(pid, SIGKILL)
      }
    }
    return entries
  }

  /// Writes a file with the record of one process that started between two times since boot, in nanoseconds.
  private func plant(pid: Int32, from: Int64, to: Int64) throws {
    let records = ProcessRecords()
    let place = try records.take(in: directory)
    var bytes: [UInt8] = []
    withUnsafeBytes(of: UInt32(0x3273_6e70)) { bytes += $0 }
    withUnsafeBytes(of: pid) { bytes += $0 }
    for number in [from, to, 0] { withUnsafeBytes(of: number) { bytes += $0 } }
    #expect(pwrite(place.descriptor, bytes, bytes.count, off_t(place.offset)) == bytes.count)
  }

  @Test("identify each process by its id and its start, in a file that only its owner can access")
  func names() async throws {
    defer { remove() }
    let entries = try await record(1)
    let content = try #require(content)
    #expect(content.processes.map(\.pid) == entries.map(\.pid))
    let started = try #require(content.processes.first?.started)
    #expect(started.contains(try #require(entries.first).started))
    // A fast computer starts a process within a tick of ten milliseconds; a busy one may take a while.
    #expect(started.upperBound - started.lowerBound < 3000)
    #expect(content.created <= started.upperBound)
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
  }

  @Test("reuse the place of an ended process, and those of kept ones when there are no others")
  func places() throws {
    defer { remove() }
    let records = ProcessRecords(capacity: 3)
    let first = try records.take(in: directory)
    let second = try records.take(in: directory)
    records.giveBack(first)
    #expect(try records.take(in: directory) == first)
    records.giveBack(second, isKept: true)
    let third = try records.take(in: directory)
    #expect(third != first && third != second)
    #expect(try records.take(in: directory) == second)
    records.remove()
    #expect(access(path, F_OK) != 0)
  }

  @Test("need no descriptor while no process is running, and keep processes that were left running") func rest() throws
  {
    defer { remove() }
    let records = ProcessRecords()
    let (first, second) = (try records.take(in: directory), try records.take(in: directory))
    records.giveBack(first, isKept: true)
    records.rest()
    #expect(fcntl(second.descriptor, F_GETFD) >= 0)
    records.giveBack(second)
    records.rest()
    #expect(fcntl(second.descriptor, F_GETFD) < 0)
    let third = try records.take(in: directory)
    #expect(third.offset == second.offset && fcntl(third.descriptor, F_GETFD) >= 0)
    records.giveBack(third)
  }

  @Test("remain readable if the file is truncated, and are as long as the number of concurrent processes")
  func cut() async throws {
    defer { remove() }
    let last = try #require(try await record(3).last)
    #expect(content?.processes.map(\.pid) == [last.pid])
    for (size, count) in [(97, 1), (96, 1), (95, 0), (64, 0)] {
      #expect(truncate(path, off_t(size)) == 0)
      #expect(content?.processes.count == count, "\(size) bytes")
    }
    for size in [63, 1, 0] {
      #expect(truncate(path, off_t(size)) == 0)
      #expect(content == nil, "\(size) bytes")
    }
  }

  @Test("that were planted are neither read without limit nor waited for, and are replaced")
  func planted() throws {
    defer { remove() }
    let outside = "\(workspace)/outside"
    #expect(FileManager.default.createFile(atPath: outside, contents: Data("kept".utf8)))
    let ways: [(String, () -> Int32)] = [
      ("FIFO", { mkfifo(path, 0o600) }), ("link", { symlink(outside, path) }),
      ("endless", { symlink("/dev/zero", path) }), ("directory", { mkdir(path, 0o700) }),
      ("huge", { FileManager.default.createFile(atPath: path, contents: Data()) ? truncate(path, 1 << 40) : -1 }),
      ("text", { FileManager.default.createFile(atPath: path, contents: Data(repeating: 65, count: 1000)) ? 0 : -1 }),
    ]
    for (name, plant) in ways {
      #expect(plant() == 0, "\(name)")
      #expect(content == nil, "\(name)")
      let records = ProcessRecords()
      _ = try records.take(in: directory)
      #expect(content?.processes.isEmpty == true, "\(name)")
      records.remove()
    }
    #expect(FileManager.default.contents(atPath: outside) == Data("kept".utf8))
  }

  @Test("are ignored if their numbers are invalid, or the file is of another boot or pid namespace")
  func foreign() throws {
    defer { remove() }
    for (pid, from, to) in [(0, 0, 1), (1, 0, 1), (-5, 0, 1), (100, 2, 1), (100, -2, 1)] as [(Int32, Int64, Int64)] {
      try plant(pid: pid, from: from, to: to)
      #expect(content?.processes.isEmpty == true, "\(pid)")
    }
    try plant(pid: 100, from: 0, to: .max)
    #expect(content?.processes.count == 1)
    var bytes = try #require(FileManager.default.contents(atPath: path))
    bytes[16] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(content == nil)
  }

  @Test("do not match a process that has reused the id of an ended one")
  func reused() async throws {
    defer { remove() }
    var found: [Bool] = []
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    _ = try await Bench(loop, directory: directory).run(["/bin/sleep", "300"]) { pid in
      while ProcessTable.environment(of: pid)?.isEmpty != true { usleep(1000) }
      func isFound() -> Bool {
        let traces = RunTraces(of: run, workspace: workspace, recorded: content?.processes ?? [])
        return LeftoverProcesses.look(traces).found.contains { $0.pid == pid }
      }
      found.append(isFound())
      guard let range = content?.processes.first?.started else { return }
      try? plant(pid: pid, from: 0, to: (range.lowerBound - 2) * 10_000_000)
      found.append(isFound())
      kill(pid, SIGKILL)
    }
    #expect(found == [true, false])
  }
}
