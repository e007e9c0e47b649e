import CProcess
import Glibc

/// A snapshot of what belongs to a process and is shared in it.
struct ProcessPicture: Equatable {
  var descriptors: Set<Int32>
  var threads: Set<Int32>
  var directory: String
  var environment: [String]
  /// The handler of each signal, as an address or a constant.
  var handlers: [Int]
  /// The files of the standard descriptors.
  var standardFiles: [UInt64]
  var locale: String
  /// The file mode creation mask, as the kernel writes it: `0022`.
  var fileMask: String

  static func take() -> ProcessPicture {
    ProcessPicture(
      descriptors: openDescriptors(), threads: currentThreads(), directory: workingDirectory(),
      environment: variables(),
      handlers: signalHandlers(), standardFiles: (0..<3).map(file),
      locale: setlocale(LC_ALL, nil).map { String(cString: $0) } ?? "",
      fileMask: field("Umask", of: "/proc/self/status"))
  }

  /// Returns a sentence for each shared item that differs from `former`.
  func changes(since former: ProcessPicture) -> [String] {
    var changes: [String] = []
    if directory != former.directory { changes.append("it changed the working directory to \(directory)") }
    if environment != former.environment { changes.append("it changed the environment of the process") }
    let signals = handlers.indices.filter { handlers[$0] != former.handlers[$0] }.map { String($0 + 1) }
    if !signals.isEmpty {
      changes.append("it changed the handling of these signals: \(signals.joined(separator: ", "))")
    }
    if standardFiles != former.standardFiles { changes.append("it replaced or closed a standard descriptor") }
    if locale != former.locale { changes.append("it changed the locale from \(former.locale) to \(locale)") }
    if fileMask != former.fileMask { changes.append("it changed the umask from \(former.fileMask) to \(fileMask)") }
    return changes
  }

  static func openDescriptors() -> Set<Int32> {
    withSpareDescriptor {
      guard let folder = opendir("/proc/self/fd") else { return [] }
      defer { closedir(folder) }
      return Set(names(in: folder).filter { $0 != dirfd(folder) })
    }
  }

  static func currentThreads() -> Set<Int32> {
    withSpareDescriptor {
      guard let folder = opendir("/proc/self/task") else { return [] }
      defer { closedir(folder) }
      return Set(names(in: folder))
    }
  }

  /// A spare descriptor for when the plugin has used up all others: inspecting the process takes one.
  private static let spare = open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// Call it before the plugin can use up the descriptors.
  static func prepare() { _ = spare }

  /// Whether the process can open no more files.
  static var isOutOfDescriptors: Bool {
    let copy = fcntl(spare, F_DUPFD_CLOEXEC, 0)
    if copy >= 0 { Glibc.close(copy) }
    return copy < 0
  }

  /// Calls `look`, which needs a descriptor, even if the plugin has left none. On one thread at a time.
  private static func withSpareDescriptor<Result>(_ look: () -> Result) -> Result {
    let spare = spare
    guard spare >= 0, isOutOfDescriptors else { return look() }
    Glibc.close(spare)
    defer {
      // The lowest free number may be another one.
      let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if file >= 0, file != spare {
        _ = fcntl(file, F_DUPFD_CLOEXEC, spare)
        Glibc.close(file)
      }
    }
    return look()
  }

  private static func names(in folder: OpaquePointer) -> [Int32] {
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name) { numbers.append(number) }
    }
    return numbers
  }

  private static func workingDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func variables() -> [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      variables.append(String(cString: variable))
      next += 1
    }
    return variables
  }

  private static func signalHandlers() -> [Int] {
    (1...64).map { number in
      var action = sigaction()
      guard sigaction(Int32(number), nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else {
        return 0
      }
      return unsafeBitCast(handler, to: Int.self)
    }
  }

  private static func file(_ descriptor: Int32) -> UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) &* 31 &+ UInt64(status.st_dev) : 0
  }

  /// Whether the thread admits one of the signals that the host waits for.
  static func admitsHostSignals(_ thread: Int32) -> Bool {
    guard let blocked = UInt64(field("SigBlk", of: "/proc/self/task/\(thread)/status"), radix: 16) else { return false }
    return [SIGINT, SIGTERM, SIGHUP, SIGCHLD].contains { blocked & (1 << UInt64($0 - 1)) == 0 }
  }

  /// Returns a field of a file with one field per line; empty if there is none.
  private static func field(_ name: String, of path: String) -> String {
    let line = contents(path)?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.map { String($0.dropFirst(name.utf8.count + 1).drop { $0 == "\t" || $0 == " " }) } ?? ""
  }

  static func name(ofThread thread: Int32) -> String {
    contents("/proc/self/task/\(thread)/comm").map { String($0.prefix { $0 != "\n" }) } ?? "?"
  }

  /// Returns the size of the resident memory, in bytes.
  static func residentBytes() -> Int {
    guard let text = contents("/proc/self/statm") else { return 0 }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  static func heapBytes() -> Int { Int(penstock_heap_in_use()) }

  private static func contents(_ path: String) -> String? {
    withSpareDescriptor {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = read(file, &bytes, bytes.count)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
  }
}
