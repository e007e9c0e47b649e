import Glibc
import OperatingSystem

/// Carries one stream of a process that received a secret to its log file, with the secret masked.
///
/// Runs on the masking thread; a process that writes faster waits for it. What cannot be written to the log is dropped, so that the process ends as
/// it would have, and ``finish(isolation:)`` reports it: truncated output must not become a result.
final class MaskingPipe {
  private var pipe: OutputPipe
  private let stream: MaskedStream
  private let loop: EventLoop

  /// Opens the log at `path`, which must exist and be empty, and a pipe to it. `grown` is called on the masking thread with the size of the log after
  /// each write.
  ///
  /// - Throws: ``EngineError/file(_:_:)`` if the log cannot be opened, ``EngineError/systemCall(_:_:)`` without descriptors.
  init(
    to path: CString, masker: SecretMasker, on loop: EventLoop, grown: @escaping @Sendable (Int64) -> Void = { _ in }
  ) throws(EngineError) {
    let log = open(path.pointer, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard log >= 0 else { throw .file(path.string, errno) }
    do throws(SystemError) {
      pipe = try OutputPipe()
    } catch {
      close(log)
      throw EngineError(error)
    }
    stream = MaskedStream(
      from: pipe.takeReadEnd(), to: log, path: path.string, masker: masker, loop: loop, grown: grown)
    self.loop = loop
    loop.execute { [stream] in stream.begin() }
  }

  deinit {
    pipe.closeWriteEnd()
    loop.execute { [stream] in _ = stream.end() }
  }

  /// The end that the process writes to; the host closes it after the start.
  var writeEnd: Int32 { pipe.writeEnd }

  /// Closes the host's copy of the write end, which the process has by now.
  func closeWriteEnd() { pipe.closeWriteEnd() }

  /// Takes everything written so far and closes the pipe. Later output of processes left behind is lost.
  ///
  /// - Throws: ``EngineError`` if a part of the output was not written to the log.
  func finish(isolation: isolated (any Actor)? = #isolation) async throws(EngineError) {
    let failure = await withCheckedContinuation(isolation: isolation) { continuation in
      loop.execute { [stream] in
        stream.takeRest()
        continuation.resume(returning: stream.end())
      }
    }
    if let failure { throw failure }
  }
}

/// The masking thread's part of a pipe. *On its event loop.*
private final class MaskedStream: @unchecked Sendable {
  // @unchecked: after initialization, accessed only on that event loop.

  /// `F_GETPIPE_SZ`, a macro that Swift does not import.
  private static let pipeCapacity: Int32 = 1032

  private var readEnd: Int32
  private var log: Int32
  private let path: String
  private var scanner: SecretScanner?
  private let loop: EventLoop
  private var token: EventLoop.Token?
  private var buffer: [UInt8] = []
  /// Why a part of the output is missing in the log.
  private var failure: EngineError?
  /// How much was written to the log, in bytes.
  private var size: Int64 = 0
  private let grown: @Sendable (Int64) -> Void

  init(
    from readEnd: Int32, to log: Int32, path: String, masker: SecretMasker, loop: EventLoop,
    grown: @escaping @Sendable (Int64) -> Void
  ) {
    self.grown = grown
    self.readEnd = readEnd
    self.log = log
    self.path = path
    scanner = masker.scanner()
    self.loop = loop
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if log >= 0 { close(log) }
  }

  func begin() {
    guard readEnd >= 0 else { return }
    do throws(EngineError) {
      // One piece at a time, so that other streams are served in between.
      token = try loop.watch(readEnd) { [unowned self] in _ = takePiece() }
    } catch {
      failure = error
      // The process must not wait for a reader that never comes.
      close(readEnd)
      readEnd = -1
    }
  }

  /// Takes what the pipe contains now, but no more than its capacity, because a process left behind may keep writing.
  func takeRest() {
    guard readEnd >= 0 else { return }
    var rest = Int(fcntl(readEnd, Self.pipeCapacity))
    if rest <= 0 { rest = 64 << 10 }
    while rest > 0 {
      let count = takePiece()
      guard count > 0 else { break }
      rest -= count
    }
    write(scanner?.finish() ?? [])
  }

  /// Ends the stream, and returns why a part of it is missing.
  func end() -> EngineError? {
    unwatch()
    if readEnd >= 0 { close(readEnd) }
    readEnd = -1
    // A quota, or a network file system, may report only now what could not be stored.
    if log >= 0, close(log) != 0, errno != EINTR, failure == nil { failure = .file(path, errno) }
    log = -1
    return failure
  }

  private func unwatch() {
    if let token { loop.unwatch(token) }
    token = nil
  }

  /// Takes one piece. Returns its size in bytes.
  private func takePiece() -> Int {
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64 << 10) }
    let count = SystemCall.retrying { read(readEnd, &buffer, buffer.count) }
    if count < 0, errno != EAGAIN, failure == nil { failure = .systemCall("read", errno) }
    // The end of the pipe stays readable; without this the event loop would spin.
    if count == 0 || count < 0 && errno != EAGAIN { unwatch() }
    if count > 0, failure == nil { write(scanner?.mask(buffer[..<count]) ?? Array(buffer[..<count])) }
    return count
  }

  private func write(_ bytes: [UInt8]) {
    guard failure == nil, !bytes.isEmpty else { return }
    do throws(SystemError) {
      try SystemCall.writeAll(bytes, to: log)
      size += Int64(bytes.count)
      grown(size)
    } catch {
      failure = .file(path, error.number)
    }
  }
}
