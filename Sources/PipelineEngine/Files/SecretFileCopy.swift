import Glibc
import OperatingSystem
import Synchronization

/// Copies a file of any size with every secret replaced, piece by piece on the masking thread.
final class SecretFileCopy: @unchecked Sendable {
  // @unchecked: after initialization, everything except `isCancelled` is accessed only on that thread's event loop.

  private let source: String
  private let target: String
  private let input: Int32
  private let output: Int32
  private var scanner: SecretScanner?
  private var buffer = [UInt8](repeating: 0, count: 256 << 10)
  private var size: Int64 = 0
  private let isCancelled = Atomic(false)

  /// Opens `source`, and creates `target` as a new file that only its owner can access.
  init(from source: String, to target: String, masker: SecretMasker) throws(EngineError) {
    self.source = source
    self.target = target
    scanner = masker.scanner()
    do {
      input = try InputFile(source).duplicate()
    } catch {
      if case .system(_, let number) = error { throw .file(source, number) }
      throw .file(source, EINVAL)
    }
    // Removes what an earlier attempt left, or a link that the process created there.
    unlink(target)
    output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else {
      let error = errno
      close(input)
      throw .file(target, error)
    }
  }

  deinit {
    close(input)
    close(output)
  }

  /// Copies the file, and returns the size of the copy. A copy that cannot be completed is removed.
  ///
  /// - Throws: ``EngineError``, or `CancellationError` if the task is cancelled.
  func run(isolation: isolated (any Actor)? = #isolation, on loop: EventLoop) async throws -> Int64 {
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
          loop.execute { self.goOn(on: loop, continuation) }
        }
      } onCancel: {
        isCancelled.store(true, ordering: .relaxed)
      }
    } catch {
      unlink(target)
      throw error
    }
  }

  private func goOn(on loop: EventLoop, _ continuation: CheckedContinuation<Int64, any Error>) {
    do {
      // Scheduled again, so that other streams are served in between.
      if try copyPiece() {
        loop.execute { self.goOn(on: loop, continuation) }
      } else {
        continuation.resume(returning: size)
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }

  /// Copies the next piece. Returns whether there may be more.
  private func copyPiece() throws -> Bool {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    let count = SystemCall.retrying { read(input, &buffer, buffer.count) }
    guard count >= 0 else { throw EngineError.file(source, errno) }
    let masked = (count == 0 ? scanner?.finish() : scanner?.mask(buffer[..<count])) ?? Array(buffer[..<count])
    do throws(SystemError) {
      try SystemCall.writeAll(masked, to: output)
    } catch {
      throw EngineError.file(target, error.number)
    }
    size += Int64(masked.count)
    return count > 0
  }
}
