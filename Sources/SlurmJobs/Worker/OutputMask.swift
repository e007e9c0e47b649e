import Glibc
import OperatingSystem
import Synchronization

/// Masks one text that arrives in pieces.
package protocol OutputMask: Sendable {
  /// Processes the next bytes, and returns the masked text that is final so far.
  mutating func mask(_ bytes: ArraySlice<UInt8>) -> [UInt8]
  /// Returns the rest of the text, which ends here.
  mutating func finish() -> [UInt8]
}

/// Creates masks for secrets; nil if there is nothing to mask.
package typealias OutputMasking = @Sendable (_ secrets: [String]) -> (any OutputMask)?

/// Carries one stream of a program that received a secret to its file, with the secret masked.
///
/// What cannot be written is dropped, so that the program ends as it would have, and ``finish()`` reports it.
final class MaskedOutput {
  private var pipe: OutputPipe
  private let thread: SystemThread
  private let failure: Failure

  /// The first error of a stream.
  private final class Failure: Sendable {
    let number = Mutex<Int32>(0)
  }

  /// Opens the file at `path`, which must exist, and a pipe to it.
  init(to path: String, _ mask: consuming any OutputMask) throws(SystemError) {
    let file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw SystemError("open", errno) }
    do throws(SystemError) {
      pipe = try OutputPipe()
    } catch {
      close(file)
      throw error
    }
    let failure = Failure()
    self.failure = failure
    let source = pipe.takeReadEnd()
    _ = fcntl(source, F_SETFL, 0)
    let initial = mask
    do throws(SystemError) {
      thread = try SystemThread("penstock-mask", blocking: .allButFaults) {
        var mask = initial
        let number = Self.carry(from: source, to: file, &mask)
        failure.number.withLock { $0 = number }
      }
    } catch {
      close(file)
      close(source)
      throw error
    }
  }

  /// The end that the program writes to.
  var writeEnd: Int32 { pipe.writeEnd }

  /// Closes the copy of the write end that the program has by now.
  func closeWriteEnd() { pipe.closeWriteEnd() }

  /// Takes everything that was written. Nobody else may have the write end any more.
  ///
  /// - Returns: 0, or the error number because of which a part is missing.
  func finish() -> Int32 {
    pipe.closeWriteEnd()
    thread.join()
    return failure.number.withLock { $0 }
  }

  private static func carry(from source: Int32, to file: Int32, _ mask: inout any OutputMask) -> Int32 {
    defer { close(source) }
    var number: Int32 = 0
    func write(_ bytes: [UInt8]) {
      guard number == 0, !bytes.isEmpty else { return }
      do throws(SystemError) { try SystemCall.writeAll(bytes, to: file) } catch { number = error.number }
    }
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = SystemCall.retrying { read(source, &piece, piece.count) }
      guard count > 0 else {
        if count < 0, number == 0 { number = errno }
        break
      }
      write(mask.mask(piece[..<count]))
    }
    write(mask.finish())
    // A network file system may report only now what it could not store.
    if close(file) != 0, number == 0 { number = errno }
    return number
  }
}
