import Glibc
import OperatingSystem

/// Writes and reads files that several computers see.
package enum SharedFile {
  /// Writes a new file that only its owner can read, and replaces what has its name.
  ///
  /// With `isDurable`, its content is on the disk before it has its name, so that nobody ever reads a part of it.
  package static func write(_ bytes: [UInt8], to path: String, isDurable: Bool = false) throws(SystemError) {
    let target = isDurable ? "\(path).\(getpid()).new" : path
    let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError("open", errno) }
    do throws(SystemError) {
      try SystemCall.writeAll(bytes, to: descriptor)
      guard !isDurable || fsync(descriptor) == 0 else { throw SystemError("fsync", errno) }
    } catch {
      close(descriptor)
      unlink(target)
      throw error
    }
    guard close(descriptor) == 0 else { throw SystemError("close", errno) }
    guard !isDurable || rename(target, path) == 0 else { throw SystemError("rename", errno) }
  }

  /// Replaces the content of a file that exists, which takes no more room than it has, and renames it once that is on the disk.
  package static func fill(
    _ reserve: String, with bytes: [UInt8], renamingTo path: String
  ) throws(SystemError) {
    let descriptor = open(reserve, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", errno) }
    do throws(SystemError) {
      try SystemCall.writeAll(bytes, to: descriptor)
      guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw SystemError("ftruncate", errno) }
      guard fsync(descriptor) == 0 else { throw SystemError("fsync", errno) }
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw SystemError("close", errno) }
    guard rename(reserve, path) == 0 else { throw SystemError("rename", errno) }
  }

  /// Returns the content of a regular file of at most `limit` bytes; nil if there is none.
  package static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { buffer in
      (try? SystemCall.fill(buffer, from: descriptor, at: 0)) ?? -1
    }
    return count < 0 ? nil : Array(bytes[..<count])
  }

  /// Returns the last `limit` bytes of a file as text; empty if there is none.
  package static func end(of path: String, limit: Int = 4096) -> String {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: limit)
    let start = max(0, Int64(status.st_size) - Int64(limit))
    let count = bytes.withUnsafeMutableBytes { buffer in
      (try? SystemCall.fill(buffer, from: descriptor, at: start)) ?? 0
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Appends what a file has after `offset` to another one.
  ///
  /// - Returns: The number of bytes that were appended.
  package static func append(from source: String, after offset: Int64, to target: String) throws(SystemError) -> Int64 {
    let input = open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else {
      if errno == ENOENT { return 0 }
      throw SystemError("open", errno)
    }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) > offset else {
      return 0
    }
    let output = open(target, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
    guard output >= 0 else { throw SystemError("open", errno) }
    defer { close(output) }
    var done: Int64 = 0
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let filled = piece.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try SystemCall.fill(buffer, from: input, at: offset + done) }
      }
      let count = try filled.get()
      if count == 0 { return done }
      try SystemCall.writeAll(piece[..<count], to: output)
      done += Int64(count)
    }
  }
}
