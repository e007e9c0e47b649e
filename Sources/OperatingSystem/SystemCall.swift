import Glibc

/// System calls that a signal may interrupt, or that may transfer less than requested.
///
/// Callers with a deadline, or with other work to do when a call would block, have their own loops.
package enum SystemCall {
  /// Makes a call that returns -1 and sets `errno`, and repeats it as long as a signal interrupts it.
  ///
  /// - Returns: The result of the last call, with its `errno`.
  @inlinable
  package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Writes all of `bytes` to a descriptor at its current offset, blocking while there is no space.
  ///
  /// - Throws: The ``SystemError`` of the write that failed. Some of the bytes may have been written.
  package static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
    let error = bytes.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while done < bytes.count {
        let count = retrying { write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done) }
        // A write that repeatedly returns 0 would never end.
        guard count > 0 else { return count == 0 ? EIO : errno }
        done += count
      }
      return 0
    }
    guard error == 0 else { throw SystemError("write", error) }
  }

  /// Writes all of `bytes` to a descriptor at its current offset, blocking while there is no space.
  ///
  /// - Throws: The ``SystemError`` of the write that failed. Some of the bytes may have been written.
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    try writeAll(bytes[...], to: descriptor)
  }

  /// Fills `buffer` from a file, starting at `offset`, until the buffer is full or the file ends. The descriptor's own offset does not change.
  ///
  /// - Returns: The number of bytes read.
  /// - Throws: The ``SystemError`` of the read that failed.
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
