import Crypto
import Glibc
import OperatingSystem
import Values

/// The SHA-256 of an open file.
package enum PluginHash {
  /// Returns the hash of the whole content as 64 lower-case hexadecimal digits; the file position does not change.
  ///
  /// - Parameters:
  ///   - descriptor: The open file.
  ///   - path: Its path for messages.
  /// - Returns: The hash.
  /// - Throws: `plugin-unreadable`.
  package static func sha256(of descriptor: Int32, path: String) throws(PluginError) -> String {
    do throws(Refusal) { return try sha256(ofDescriptor: descriptor) } catch { throw error.error(for: path) }
  }

  /// Returns the hash of the whole content as 64 lower-case hexadecimal digits; the file position does not change.
  static func sha256(ofDescriptor descriptor: Int32) throws(Refusal) -> String {
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var offset: off_t = 0
    while true {
      let count = SystemCall.retrying { pread(descriptor, &buffer, buffer.count, offset) }
      guard count >= 0 else {
        throw Refusal(
          .unreadable, "it cannot be read: \(SystemError.text(of: errno))",
          fix: "check the file and its file system")
      }
      if count == 0 { break }
      hash.update(data: buffer[..<count])
      offset += off_t(count)
    }
    return hash.finalize().hexadecimal
  }

  /// Whether `text` consists of 64 lower-case hexadecimal digits.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy(digits.contains)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
