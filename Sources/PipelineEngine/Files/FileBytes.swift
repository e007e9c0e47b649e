import Glibc
import OperatingSystem

/// Whole files as bytes.
enum FileBytes {
  /// The first bytes, at most `limit`, behind a descriptor of a regular file of ours.
  static func read(descriptor: Int32, limit: Int) -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let size = min(Int(status.st_size), limit)
    return try? [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let done = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
        if done < 0 { throw OperationFailure(code: "file", message: SystemError.text(of: errno)) }
        if done == 0 { break }
        count += done
      }
    }
  }

  /// Writes a file of the owner's alone, which must not exist yet (`EEXIST`). What cannot be written whole is not left behind.
  static func write(_ bytes: [UInt8], toNew path: String) throws(EngineError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .runFile(path, errno) }
    var error = write(bytes, to: descriptor)
    if close(descriptor) != 0, errno != EINTR, error == 0 { error = errno }
    guard error == 0 else {
      unlink(path)
      throw .file(path, error)
    }
  }

  /// Writes all of `bytes` at the descriptor's offset. Returns 0, or the error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let done = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if done > 0 {
        written += done
      } else if done == 0 || errno != EINTR {
        return done == 0 ? EIO : errno
      }
    }
    return 0
  }
}
