import Glibc

/// What the kernel tells of this process.
enum ProcessFile {
  /// The text of a file in /proc, which says of itself that it is empty, so that its size must not be asked for.
  static func text(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw StoresError("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The most memory that was resident at any time; 0 where the kernel does not tell.
  static var peakBytes: Double {
    let status = (try? text("/proc/self/status")) ?? ""
    return number("VmHWM:", in: status).map { Double($0) * 1024 } ?? 0
  }

  /// The number in the line of `status` that begins with `name`.
  static func number(_ name: String, in status: String) -> Int? {
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }

  /// The numbers of the threads of this process.
  static func threads() throws -> [Int32] {
    guard let directory = opendir("/proc/self/task") else { throw StoresError("cannot read /proc/self/task") }
    defer { closedir(directory) }
    var threads: [Int32] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let thread = Int32(name) { threads.append(thread) }
    }
    return threads
  }
}
