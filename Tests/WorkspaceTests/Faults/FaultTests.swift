import CFaultVFS
import Foundation
import Testing
import Workspace

private let anyWrite = Int(fault_writes | fault_truncations | fault_syncs)

/// Every n-th write, sync, opening and reading fails, one n after the other. The tests run one after another, because there is only one fault plan at a
/// time. `PENSTOCK_SOAK=full` uses every n, also for lasting faults.
@Suite("When the file system fails", .serialized)
struct FaultTests {
  static let isFull = ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full"

  static let writeFaults = [false, true].flatMap { isLasting in
    [
      Fault(
        name: "SQLITE_FULL", calls: anyWrite, code: 13, error: ENOSPC, isLasting: isLasting, codes: ["workspace-full"]),
      Fault(name: "SQLITE_IOERR", calls: anyWrite, code: 10 | 3 << 8, isLasting: isLasting, codes: ["workspace-io"]),
      Fault(
        name: "a quota", calls: anyWrite, code: 10 | 3 << 8, error: EDQUOT, isLasting: isLasting,
        codes: ["workspace-full"]),
    ]
  }

  init() {
    #expect(fault_install() == 0)
  }

  @Test(
    "each n-th write fails with a typed error, loses nothing and leaves a usable workspace",
    arguments: writeFaults)
  func writes(fault: Fault) async throws {
    try await eachPlace(of: fault) { script, place in
      await script.run()
      return "write \(place)"
    }
  }

  @Test(
    "each n-th write fails while a file and its tables are created",
    arguments: writeFaults.filter { !$0.isLasting })
  func opening(fault: Fault) async throws {
    try await eachPlace(of: fault, isOpenBefore: false) { script, place in
      script.open()
      return "write \(place) of the opening"
    }
  }

  @Test(
    "each n-th opening of a file fails",
    arguments: [
      Fault(
        name: "SQLITE_CANTOPEN", calls: Int(fault_opens), code: 14, isLasting: false,
        codes: ["workspace-io", "workspace-cannot-create"])
    ])
  func files(fault: Fault) async throws {
    try await eachPlace(of: fault, isOpenBefore: false, stride: 1) { script, place in
      await script.run()
      return "opening \(place)"
    }
  }

  @Test(
    "each n-th use of the shared memory fails",
    arguments: [
      Fault(
        name: "SQLITE_IOERR_SHMMAP", calls: Int(fault_shared_memory), code: 10 | 21 << 8, isLasting: false,
        codes: ["workspace-io"]),
      Fault(
        name: "SQLITE_IOERR_SHMSIZE", calls: Int(fault_shared_memory), code: 10 | 19 << 8, error: ENOSPC,
        isLasting: false, codes: ["workspace-full"]),
    ])
  func sharedMemory(fault: Fault) async throws {
    try await eachPlace(of: fault, isOpenBefore: false, stride: 1) { script, place in
      await script.run()
      return "use \(place)"
    }
  }

  @Test(
    "each n-th reading fails with a typed error",
    arguments: [
      Fault(
        name: "SQLITE_IOERR_READ", calls: Int(fault_reads), code: 10 | 1 << 8, isLasting: false, codes: ["workspace-io"]
      ),
      Fault(name: "SQLITE_CORRUPT", calls: Int(fault_reads), code: 11, isLasting: false, codes: ["workspace-corrupt"]),
    ])
  func readings(fault: Fault) async throws {
    try await eachPlace(of: fault, isOpenBefore: false) { script, place in
      await script.run()
      return "reading \(place)"
    }
  }

  @Test("a write that fails during a checkpoint or at the shutdown loses nothing")
  func shutdown() async throws {
    for isLasting in [false, true] {
      let fault = Fault(name: "", calls: anyWrite, code: 10 | 3 << 8, isLasting: isLasting, codes: [])
      try await eachPlace(of: fault, isArmedLater: true, stride: 1) { script, place in
        await script.workspace?.shutdown()
        return "write \(place) of the shutdown"
      }
    }
  }

  @Test("a failed backup leaves no file, and the previous one unchanged")
  func backup() async throws {
    let directory = try TemporaryDirectory()
    let workspace = try openJobs(directory)
    try await workspace.add((0..<50).map { Job(id: "\($0)", log: Array(repeating: 1, count: 1000)) })
    let copies = directory.path + "/copies"
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    try workspace.backup(to: copies + "/workspace.db")
    let good = try Data(contentsOf: URL(fileURLWithPath: copies + "/workspace.db"))
    var place: Int64 = 0
    while true {
      place += 1
      #expect(fault_arm(copies, Int32(anyWrite), place, 0, 13, ENOSPC) >= 0)
      let error = await caught(WorkspaceError.self) { try workspace.backup(to: copies + "/workspace.db") }
      guard fault_disarm(copies) > 0 else { break }
      try #require(error?.code == "workspace-full", "write \(place)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: copies + "/workspace.db")) == good)
      #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == ["workspace.db"])
    }
    #expect(place > 10)
  }

  @Test("a flush to a failing disk reports it and keeps what is committed, and the next one succeeds")
  func flushToDisk() async throws {
    let directory = try TemporaryDirectory()
    let workspace = try openNumbers(directory)
    let writer = OrderedWriter.numbers(workspace)
    for (number, (code, error)) in [(10 | 4 << 8, EIO), (10 | 4 << 8, EDQUOT)].enumerated() {
      writer.append(number)
      #expect(fault_arm(directory.workspace, Int32(fault_syncs), 1, 0, Int32(code), error) >= 0)
      let failure = await caught(WorkspaceError.self) { try await writer.flushToDisk() }
      fault_disarm(directory.workspace)
      #expect(failure?.code == (error == EIO ? "workspace-io" : "workspace-full"))
      #expect(writer.failure == nil)
      try await writer.flushToDisk()
      #expect(try workspace.values() == Array(0...number))
    }
    try await writer.close()
  }

  @Test("a subscriber whose reading fails is notified at the next change")
  func subscriber() async throws {
    let directory = try TemporaryDirectory()
    let workspace = try openJobs(directory)
    try await workspace.add([Job(id: "a")])
    let told = Collected<Int>()
    let result = try workspace.fetch(for: Job.self).where(Job.attempt > 1)
    let subscription = try workspace.subscribe(fetchedResult: result) { told.append($0.count) }
    try await workspace.performChanges([]) { _ in }
    #expect(fault_arm(directory.workspace, Int32(fault_opens | fault_reads), 1, 1, 10 | 1 << 8, EIO) >= 0)
    _ = await caught(ChangeError.self) {
      try await workspace.performChanges([Job.self]) {
        try $0.submit(Job.changeRequest(Job(id: "a")) { $0.attempt = 2 })
      }
    }
    fault_disarm(directory.workspace)
    try await workspace.performChanges([Job.self]) { try $0.submit(Job.upsertRequest(Job(id: "a", attempt: 3))) }
    #expect(told.all.last == 1)
    withExtendedLifetime(subscription) {}
  }

  /// Runs `body` with the fault at the first place, then the second, and so on until there is none, each time in a new workspace.
  private func eachPlace(
    of fault: Fault, isOpenBefore: Bool = true, isArmedLater: Bool = false, stride short: Int64 = 7,
    _ body: (FaultScript, Int64) async -> String
  ) async throws {
    let stride = Self.isFull ? 1 : short
    var places: Int64 = 0
    var place: Int64 = 1
    while true {
      let directory = try TemporaryDirectory()
      let script = FaultScript(directory.workspace)
      if isOpenBefore { script.open() }
      if isArmedLater { await script.run() }
      #expect(
        fault_arm(directory.workspace, Int32(fault.calls), place, fault.isLasting ? 1 : 0, fault.code, fault.error) >= 0
      )
      let what = await body(script, place)
      let isOver = fault_disarm(directory.workspace) == 0
      try await check(script, fault, Comment(rawValue: "\(fault.testDescription): \(what)"))
      if isOver { break }
      places += 1
      place += stride
    }
    #expect(places > 1, "nothing has failed")
  }

  /// Checks what must hold after a fault, wherever it occurred.
  private func check(_ script: FaultScript, _ fault: Fault, _ place: Comment) async throws {
    for error in script.errors {
      let workspaceError = error as? WorkspaceError ?? (error as? ChangeError)?.workspaceError
      let code = try #require(workspaceError?.code, "\(place): \(error)")
      #expect(fault.codes.contains(code), "\(place): \(error)")
      #expect(workspaceError?.path.hasPrefix(script.directory) == true, place)
    }
    // The same workspace remains usable once nothing fails.
    if let workspace = script.workspace, !fault.codes.isEmpty {
      try #require(await script.change(workspace, 50), "\(place): \(script.errors)")
      #expect(try workspace.fetch(for: Job.self).all().map(\.self) == script.sorted, place)
      await workspace.shutdown()
    }
    let again = try OpenWorkspace.open(at: script.directory, schema: .jobs, mode: .readWrite)
    #expect(try again.checkIntegrity() == [], place)
    try #require(try again.fetch(for: Job.self).all().map(\.self) == script.sorted, place)
    #expect(try again.fetch(for: Job.self).where(Job.ticket >= "").count == script.sorted.count, place)
    try await again.add([Job(id: "last")])
    await again.shutdown()
  }
}

extension ChangeError {
  fileprivate var workspaceError: WorkspaceError? {
    if case .workspace(let error) = cause { error } else { nil }
  }
}
