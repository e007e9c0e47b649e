import Glibc
import OperatingSystem

/// Writes whole buffers.
enum FileWriting {
  /// Writes all of `bytes` at the descriptor's offset.
  ///
  /// - Returns: 0, or the error number.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        return count == 0 ? EIO : errno
      }
    }
    return 0
  }

  /// The failure of a transfer whose body cannot be written.
  static func failure(_ error: Int32, _ authority: String) -> HTTPTransferError {
    HTTPTransferError(
      .unwritableFile, "the response of \(authority) cannot be written to its file: \(SystemError.text(of: error))",
      systemError: error)
  }
}
