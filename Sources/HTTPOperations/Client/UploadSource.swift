import CLibCurl
import Glibc
import OperatingSystem
import Synchronization

/// The body of a request while it is sent. Read at any offset, since a request may have to begin again on another
/// connection.
///
/// Reading never waits for a disk: what the kernel has not in memory is loaded by another thread first.
final class UploadSource: Sendable {
  private enum Content {
    case bytes([UInt8])
    case file(descriptor: Int32, offset: Int64)
  }

  /// What becomes of an attempt to read.
  enum Reading: Equatable {
    /// So many bytes were copied; 0 at the end.
    case read(Int)
    /// They have to be loaded first.
    case notLoaded
    /// The file cannot be read, or is shorter than it was.
    case failed
  }

  /// A piece of the file that was loaded; empty where that failed.
  private struct Piece {
    var position: Int64
    var bytes: [UInt8]
  }

  /// How much is loaded at a time, in bytes.
  private static let pieceSize = 1 << 20

  private let content: Content
  private let loaded = Mutex<Piece?>(nil)
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

  /// Copies what is at `position` into `buffer`, without waiting.
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
      // Whatever the reason is that nothing was read, the other thread finds it out.
      return result > 0 ? .read(result) : .notLoaded
    }
  }

  /// Reads the bytes from `position` on into memory. Blocks.
  func load(at position: Int64) {
    guard case .file(let descriptor, let offset) = content else { return }
    let count = Int(min(Int64(Self.pieceSize), size - position))
    guard count > 0 else { return }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, SystemCall.retrying { pread(descriptor, buffer.baseAddress, count, off_t(offset + position)) })
    }
    loaded.withLock { $0 = Piece(position: position, bytes: bytes) }
  }

  /// Takes bytes from the piece that was loaded; nil where they are not in it.
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
