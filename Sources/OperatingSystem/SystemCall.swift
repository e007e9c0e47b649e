import Glibc

/// System calls that a signal may interrupt, or that do less than they were asked to.
///
/// A loop that has a deadline, or does something else where a call would block, has its own rule and is written where it is needed.
package enum SystemCall {
  /// Makes a call that returns -1 and an error number, as often as a signal interrupts it.
  ///
  /// - Returns: What the last call has returned; `errno` is that of the call.
  @inlinable
  package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Writes all of `bytes` at the offset of a descriptor, which blocks where there is no room.
  ///
  /// - Throws: ``SystemError`` of the write that failed. Some of the bytes may have been written.
  package static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
    let error = bytes.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while done < bytes.count {
        let count = retrying { write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done) }
        // A file system that takes nothing and does not say why would keep us here.
        guard count > 0 else { return count == 0 ? EIO : errno }
        done += count
      }
      return 0
    }
    guard error == 0 else { throw SystemError("write", error) }
  }

  /// Writes all of `bytes` at the offset of a descriptor, which blocks where there is no room.
  ///
  /// - Throws: ``SystemError`` of the write that failed. Some of the bytes may have been written.
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    try writeAll(bytes[...], to: descriptor)
  }

  /// Fills `buffer` from the offset `offset` of a file on, as far as the file reaches. The descriptor's own offset stays.
  ///
  /// - Returns: How many bytes were read.
  /// - Throws: ``SystemError`` of the read that failed.
  package static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = retrying {
        pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset) + off_t(done))
      }
      guard count >= 0 else { throw SystemError("pread", errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }
}
