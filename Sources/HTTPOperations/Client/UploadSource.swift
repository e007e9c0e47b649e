import Glibc

/// The body of a request while it is sent. Read at any offset, since a request may have to begin again on another
/// connection.
final class UploadSource: Sendable {
  private enum Content {
    case bytes([UInt8])
    case file(descriptor: Int32, offset: Int64)
  }

  private let content: Content
  /// In bytes.
  let size: Int64

  /// Opens the body of a request; nil if there is none.
  ///
  /// - Throws: ``HTTPTransferError`` with `unreadable-body`.
  init?(_ body: HTTPTransferBody) throws(HTTPTransferError) {
    switch body {
    case .none:
      return nil
    case .bytes(let bytes):
      content = .bytes(bytes)
      size = Int64(bytes.count)
    case .file(let path, let offset):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw Self.failure("'\(path)' cannot be opened", errno) }
      var information = stat()
      guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw Self.failure("'\(path)' is not a file with a content of its own", 0)
      }
      let length = Int64(information.st_size)
      guard (0...length).contains(offset) else {
        close(descriptor)
        throw Self.failure("'\(path)' is shorter than the \(offset) bytes that are to be left out", 0)
      }
      content = .file(descriptor: descriptor, offset: offset)
      size = length - offset
    }
  }

  deinit {
    if case .file(let descriptor, _) = content { close(descriptor) }
  }

  /// The bytes if they are in memory and few enough to be handed over at once.
  var smallBytes: [UInt8]? {
    guard case .bytes(let bytes) = content, bytes.count <= 64 * 1024 else { return nil }
    return bytes
  }

  /// Copies what is at `position` into `buffer`.
  ///
  /// - Returns: How many bytes; nil when the source fails or is shorter than it was.
  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = Int(min(Int64(buffer.count), size - position))
    guard count > 0 else { return count == 0 ? 0 : nil }
    switch content {
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(position)..<Int(position) + count]))
      }
      return count
    case .file(let descriptor, let offset):
      while true {
        let result = pread(descriptor, buffer.baseAddress, count, off_t(offset + position))
        if result > 0 { return result }
        guard result < 0, errno == EINTR else { return nil }
      }
    }
  }

  private static func failure(_ what: String, _ error: Int32) -> HTTPTransferError {
    let reason = error == 0 ? "" : ": \(SystemMessage.text(of: error))"
    return HTTPTransferError(.unreadableBody, "the request's body, \(what)\(reason)", systemError: error)
  }
}
