import CProcess
import Glibc

/// What a process has and shares, at one moment.
struct ProcessPicture: Equatable {
  var descriptors: Set<Int32>
  var threads: Set<Int32>
  var directory: String
  var environment: [String]
  /// How each signal is handled, as an address or a constant.
  var handlers: [Int]
  /// The files behind the standard descriptors.
  var standardFiles: [UInt64]

  static func take() -> ProcessPicture {
    ProcessPicture(
      descriptors: openDescriptors(), threads: currentThreads(), directory: workingDirectory(),
      environment: variables(),
      handlers: signalHandlers(), standardFiles: (0..<3).map(file))
  }

  /// What is not as it was in `former` though it belongs to the whole process, a sentence each.
  func changes(since former: ProcessPicture) -> [String] {
    var changes: [String] = []
    if directory != former.directory { changes.append("it changed the working directory to \(directory)") }
    if environment != former.environment { changes.append("it changed the environment of the process") }
    let signals = handlers.indices.filter { handlers[$0] != former.handlers[$0] }.map { String($0 + 1) }
    if !signals.isEmpty {
      changes.append("it left the handling of these signals changed: \(signals.joined(separator: ", "))")
    }
    if standardFiles != former.standardFiles { changes.append("it replaced or closed a standard descriptor") }
    return changes
  }

  static func openDescriptors() -> Set<Int32> {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    return Set(names(in: folder).filter { $0 != dirfd(folder) })
  }

  static func currentThreads() -> Set<Int32> {
    guard let folder = opendir("/proc/self/task") else { return [] }
    defer { closedir(folder) }
    return Set(names(in: folder))
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

  /// Whether the thread lets one of the signals in that the host waits for.
  static func admitsHostSignals(_ thread: Int32) -> Bool {
    guard let text = contents("/proc/self/task/\(thread)/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") }),
      let blocked = UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16)
    else { return false }
    return [SIGINT, SIGTERM, SIGHUP, SIGCHLD].contains { blocked & (1 << UInt64($0 - 1)) == 0 }
  }

  static func name(ofThread thread: Int32) -> String {
    contents("/proc/self/task/\(thread)/comm").map { String($0.prefix { $0 != "\n" }) } ?? "?"
  }

  /// Pages of memory that are in use, in bytes.
  static func residentBytes() -> Int {
    guard let text = contents("/proc/self/statm") else { return 0 }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  static func heapBytes() -> Int { Int(penstock_heap_in_use()) }

  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
