import CProcess
import DequeModule
import Glibc
import OperatingSystem
import RunHistory
import Workspace

/// The file in which each process of a run records its id and its start time before it executes its program.
///
/// The history refers to a process only once it has lasted for a while; this file does from its first instruction, for finding what a killed host
/// left running, and which attempts it had begun. It is valid beyond the host but not beyond a reboot, after which no process exists. The place of a process that has ended is reused,
/// so the file's length corresponds to the maximum number of concurrent processes. *On the event loop.*
final class ProcessRecords {
  /// The place where one process records itself.
  struct Place: Sendable, Hashable {
    let descriptor: Int32
    let offset: Int64
    /// The ordinal of the operation whose attempt the process executes, and the number of the attempt; 0 if it executes none.
    fileprivate(set) var operation: Int32 = 0
    fileprivate(set) var attempt: Int32 = 0

    fileprivate init(descriptor: Int32, offset: Int64) { (self.descriptor, self.offset) = (descriptor, offset) }

    /// Sets the attempt that the process executes.
    mutating func note(operation ordinal: Int, attempt number: Int) {
      (operation, attempt) = (Int32(clamping: ordinal), Int32(clamping: number))
    }
  }

  private static let name = "processes"
  private static let size = MemoryLayout<penstock_process_record>.size
  /// The size of the header: the mark, the time since boot in nanoseconds, and the boot with the pid namespace, to which the records refer.
  private static let headerSize = 64
  /// The number of places. A run that leaves more processes running loses its earliest records here.
  private static let capacity = 32 << 10

  private let capacity: Int
  private var descriptor: Int32 = -1
  private var path: String?
  private var count = 0
  private var free: [Int64] = []
  /// Places of ended processes whose sessions still have members, the oldest first.
  private var kept: Deque<Int64> = []

  init(capacity: Int = ProcessRecords.capacity) { self.capacity = capacity }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns a place for a process that is about to be started. The first call creates the file in `directory`, that of the run.
  func take(in directory: @autoclosure () throws(EngineError) -> String) throws(EngineError) -> Place {
    if descriptor < 0, let path { try reopen(path) }
    if descriptor < 0 { try create("\(directory())/\(Self.name)") }
    if let offset = free.popLast() { return Place(descriptor: descriptor, offset: offset) }
    if count >= capacity, let oldest = kept.popFirst() { return Place(descriptor: descriptor, offset: oldest) }
    defer { count += 1 }
    return Place(descriptor: descriptor, offset: Int64(Self.headerSize + count * Self.size))
  }

  /// Returns the place of a process that has been reaped, or was never started. `isKept` if its session still has members.
  func giveBack(_ place: Place, isKept: Bool = false) {
    if isKept { kept.append(place.offset) } else { free.append(place.offset) }
  }

  /// Closes the descriptor until there is another process, if there is none now.
  func rest() {
    guard descriptor >= 0, free.count + kept.count == count else { return }
    close(descriptor)
    descriptor = -1
  }

  /// Opens the file again after its descriptor was closed. If it no longer exists, it is created anew.
  private func reopen(_ path: String) throws(EngineError) {
    descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor < 0, errno != ENOENT else { return }
    throw .file(path, errno)
  }

  /// Removes the file. The run has ended, and its processes will not be searched for.
  func remove() {
    if let path { unlink(path) }
  }

  private func create(_ path: String) throws(EngineError) {
    func open() -> Int32 { Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    var opened = open()
    if opened < 0, errno == EEXIST {
      // The file of a former host of the run, whose processes have been terminated.
      penstock_remove_tree(path)
      opened = open()
    }
    guard opened >= 0 else { throw .file(path, errno) }
    let header = Self.header
    let written = write(opened, header, header.count)
    guard written == header.count else {
      let error = written < 0 ? errno : ENOSPC
      close(opened)
      unlink(path)
      throw .file(path, error)
    }
    descriptor = opened
    self.path = path
  }

  private static var header: [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: UInt64(PENSTOCK_PROCESS_MARK)) { bytes += $0 }
    withUnsafeBytes(of: SystemClock.nanoseconds(of: CLOCK_BOOTTIME)) { bytes += $0 }
    return bytes + boot
  }

  /// The boot and the pid namespace, in as many bytes as the header has for them.
  private static var boot: [UInt8] {
    let bytes = Array(ProcessIdentity.currentBoot.utf8.prefix(headerSize - 16))
    return bytes + [UInt8](repeating: 0, count: headerSize - 16 - bytes.count)
  }

  // MARK: Reading

  /// The content of a file that a host left.
  struct Content {
    /// When the file was created, in clock ticks since boot.
    let created: Int64
    let processes: [RecordedProcess]
    /// The attempts of these processes, with the time since boot at which they began, in nanoseconds.
    let attempts: [(ordinal: Int, number: Int, began: Int64)]
  }

  /// Returns the content of a run's file in the workspace `directory`, or nil if it does not exist, belongs to another boot or pid namespace, or is
  /// not such a file.
  static func read(of run: RunID, in directory: String) -> Content? {
    let limit = headerSize + capacity * size
    guard
      let bytes = try? InputFile.read("\(directory)/runs/\(run.text)/\(name)", limit: limit, followsLink: false),
      bytes.count >= headerSize, !ProcessIdentity.currentBoot.isEmpty, bytes[16..<headerSize].elementsEqual(boot)
    else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard bytes.loadUnaligned(as: UInt64.self) == PENSTOCK_PROCESS_MARK else { return nil }
      let created = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
      var processes: [RecordedProcess] = []
      var attempts: [(ordinal: Int, number: Int, began: Int64)] = []
      // Incomplete records and places that no process has used are skipped.
      for offset in stride(from: headerSize, through: bytes.count - size, by: size) {
        let record = bytes.loadUnaligned(fromByteOffset: offset, as: penstock_process_record.self)
        guard record.mark == PENSTOCK_RECORD_MARK, record.pid > 1, record.earliest >= 0,
          record.earliest <= record.latest
        else { continue }
        // The kernel's own reading of the clock may be slightly earlier or later.
        let started = (ticks(record.earliest) - 1)...(ticks(record.latest) + 1)
        processes.append(RecordedProcess(pid: record.pid, startedWithin: started))
        guard record.attempt > 0, record.operation >= 0 else { continue }
        attempts.append((Int(record.operation), Int(record.attempt), record.earliest))
      }
      return Content(created: ticks(created), processes: processes, attempts: attempts)
    }
  }

  private static func ticks(_ nanoseconds: Int64) -> Int64 {
    nanoseconds / (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }
}
