import Glibc
import OperatingSystem

/// Reads and writes whole files.
enum FileBytes {
  /// Returns at most the first `limit` bytes of one of this process's regular files, given its descriptor.
  static func read(descriptor: Int32, limit: Int) -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let size = min(Int(status.st_size), limit)
    return try? [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = try SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: 0)
    }
  }

  /// Creates a file that only its owner can access; it must not exist yet (`EEXIST`). A file that cannot be written completely is removed.
  static func write(_ bytes: [UInt8], toNew path: String) throws(EngineError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .runFile(path, errno) }
    var problem: Int32 = 0
    do throws(SystemError) { try SystemCall.writeAll(bytes, to: descriptor) } catch { problem = error.number }
    if close(descriptor) != 0, errno != EINTR, problem == 0 { problem = errno }
    guard problem == 0 else {
      unlink(path)
      throw .file(path, problem)
    }
  }
}
