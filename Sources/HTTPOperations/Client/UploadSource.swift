import CLibCurl
import Glibc
import OperatingSystem
import Synchronization

/// The body of a request while it is sent. It can be read at any offset, because a request may have to start again on another connection.
///
/// Reading never waits for a disk: data that is not in the kernel's cache is loaded by another thread first.
final class UploadSource: Sendable {
  private enum Content {
    case bytes([UInt8])
    case file(descriptor: Int32, offset: Int64)
  }

  /// The result of an attempt to read.
  enum Reading: Equatable {
    /// The number of bytes copied; 0 at the end.
    case read(Int)
    /// The bytes must be loaded first.
    case notLoaded
    /// The file cannot be read, or has become shorter.
    case failed
  }

  /// A piece of the file that was loaded; empty if loading failed.
  private struct Piece {
    var position: Int64
    var bytes: [UInt8]
  }

  /// The number of bytes loaded at a time.
  private static let pieceSize = 1 << 20

  private let content: Content
  private let loaded = Mutex<Piece?>(nil)
  /// The size in bytes.
  let size: Int64

  /// Opens the body of a request; nil if it has none.
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
        throw Self.failure("'\(path)' is not a regular file", 0)
      }
      let length = Int64(information.st_size)
      guard (0...length).contains(offset) else {
        close(descriptor)
        throw Self.failure("'\(path)' is shorter than the \(offset) bytes to skip", 0)
      }
      content = .file(descriptor: descriptor, offset: offset)
      size = length - offset
    }
  }

  deinit {
    if case .file(let descriptor, _) = content { close(descriptor) }
  }

  /// The bytes, if they are in memory and few enough to be passed to libcurl at once.
  var smallBytes: [UInt8]? {
    guard case .bytes(let bytes) = content, bytes.count <= 64 * 1024 else { return nil }
    return bytes
  }

  /// Copies bytes from `position` into `buffer`, without waiting.
  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    let count = Int(min(Int64(buffer.count), size - position))
    guard count > 0 else { return count == 0 ? .read(0) : .failed }
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    switch content {
    case .bytes(let bytes):
      return .read(Self.copy(bytes, from: Int(position), to: target))
    case .file(let descriptor, let offset):
      if let reading = readLoaded(at: position, into: target) { return reading }
      let result = penstock_read_cached(descriptor, target.baseAddress, count, offset + position)
      // If nothing was read, the loading thread finds out why.
      return result > 0 ? .read(result) : .notLoaded
    }
  }

  /// Loads the bytes from `position` into memory. Blocks.
  func load(at position: Int64) {
    guard case .file(let descriptor, let offset) = content else { return }
    let count = Int(min(Int64(Self.pieceSize), size - position))
    guard count > 0 else { return }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, SystemCall.retrying { pread(descriptor, buffer.baseAddress, count, off_t(offset + position)) })
    }
    loaded.withLock { $0 = Piece(position: position, bytes: bytes) }
  }

  /// Copies bytes from the loaded piece; nil if they are not in it.
  private func readLoaded(at position: Int64, into target: UnsafeMutableRawBufferPointer) -> Reading? {
    loaded.withLock { loaded in
      guard let piece = loaded else { return nil }
      if piece.bytes.isEmpty, piece.position == position { return .failed }
      let index = position - piece.position
      guard index >= 0, index < piece.bytes.count else {
        loaded = nil
        return nil
      }
      return .read(Self.copy(piece.bytes, from: Int(index), to: target))
    }
  }

  private static func copy(_ bytes: [UInt8], from index: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(target.count, bytes.count - index)
    bytes.withUnsafeBytes {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[index..<index + count]))
    }
    return count
  }

  private static func failure(_ what: String, _ error: Int32) -> HTTPTransferError {
    let reason = error == 0 ? "" : ": \(SystemError.textWithAdvice(of: error))"
    var failure = HTTPTransferError(.unreadableBody, "the request's body, \(what)\(reason)", systemError: error)
    failure.shortage = ResourceShortage.number(error)
    return failure
  }
}
