import CProcess
import DequeModule
import Glibc
import OperatingSystem
import RunHistory
import Workspace

/// The file in which each process of a run records its id and the time of its start, before it becomes its program.
///
/// The history names a process only once it has lasted for a while; this file names it from its first instruction, for whoever looks for what a killed
/// host left running. It outlives the host and not the computer, after which no process lives. The place of a process that has ended serves again, so
/// the file is as long as there were processes at once. *On the loop.*
final class ProcessRecords {
  /// Where one process records itself.
  struct Place: Sendable, Hashable {
    let descriptor: Int32
    let offset: Int64
  }

  private static let name = "processes"
  private static let size = MemoryLayout<penstock_process_record>.size
  /// What the file begins with: the mark, the time since boot in nanoseconds, and the boot with the pid namespace, in which alone the records mean anything.
  private static let headerSize = 64
  /// How many places there are. A run that leaves more processes running loses sight of the first ones here.
  private static let capacity = 32 << 10

  private let capacity: Int
  private var descriptor: Int32 = -1
  private var path: String?
  private var count = 0
  private var free: [Int64] = []
  /// Places of processes that have ended and whose sessions others were left in, the oldest first.
  private var kept: Deque<Int64> = []

  init(capacity: Int = ProcessRecords.capacity) { self.capacity = capacity }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A place for a process that is about to be started. The first one creates the file in `directory`, that of the run.
  func take(in directory: @autoclosure () throws(EngineError) -> String) throws(EngineError) -> Place {
    if descriptor < 0, let path { try reopen(path) }
    if descriptor < 0 { try create("\(directory())/\(Self.name)") }
    if let offset = free.popLast() { return Place(descriptor: descriptor, offset: offset) }
    if count >= capacity, let oldest = kept.popFirst() { return Place(descriptor: descriptor, offset: oldest) }
    defer { count += 1 }
    return Place(descriptor: descriptor, offset: Int64(Self.headerSize + count * Self.size))
  }

  /// Gives the place of a process back that has been reaped, or was never started. `isKept` says that others were left in its session.
  func giveBack(_ place: Place, isKept: Bool = false) {
    if isKept { kept.append(place.offset) } else { free.append(place.offset) }
  }

  /// Needs no descriptor until there is another process, if there is none now.
  func rest() {
    guard descriptor >= 0, free.count + kept.count == count else { return }
    close(descriptor)
    descriptor = -1
  }

  /// Opens the file that was left alone for a while. One that has gone names nobody any more.
  private func reopen(_ path: String) throws(EngineError) {
    descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor < 0, errno != ENOENT else { return }
    throw .file(path, errno)
  }

  /// Removes the file. The run has ended, and nobody will look for its processes.
  func remove() {
    if let path { unlink(path) }
  }

  private func create(_ path: String) throws(EngineError) {
    func open() -> Int32 { Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    var opened = open()
    if opened < 0, errno == EEXIST {
      // That of a former host of the run, whose processes have been ended.
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
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    var bytes: [UInt8] = []
    withUnsafeBytes(of: UInt64(PENSTOCK_PROCESS_MARK)) { bytes += $0 }
    withUnsafeBytes(of: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)) { bytes += $0 }
    return bytes + boot
  }

  /// The boot and the pid namespace, in as many bytes as the header has for them.
  private static var boot: [UInt8] {
    let bytes = Array(ProcessIdentity.currentBoot.utf8.prefix(headerSize - 16))
    return bytes + [UInt8](repeating: 0, count: headerSize - 16 - bytes.count)
  }

  // MARK: Reading

  /// What a host has left there.
  struct Content {
    /// When the file was created, in clock ticks since boot.
    let created: Int64
    let processes: [RecordedProcess]
  }

  /// The file of a run in the workspace `directory`; nil where there is none, where it is of another boot or pid namespace, and where it is not of ours.
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
      // What the last process could not write whole is left out, as is a place that no process has come to use.
      for offset in stride(from: headerSize, through: bytes.count - size, by: size) {
        let record = bytes.loadUnaligned(fromByteOffset: offset, as: penstock_process_record.self)
        guard record.mark == PENSTOCK_PROCESS_MARK, let pid = Int32(exactly: record.pid), pid > 1,
          record.earliest >= 0, record.earliest <= record.latest
        else { continue }
        // The kernel's own clock may be read a little before or after.
        let started = (ticks(record.earliest) - 1)...(ticks(record.latest) + 1)
        processes.append(RecordedProcess(pid: pid, startedWithin: started))
      }
      return Content(created: ticks(created), processes: processes)
    }
  }

  private static func ticks(_ nanoseconds: Int64) -> Int64 {
    nanoseconds / (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }
}
