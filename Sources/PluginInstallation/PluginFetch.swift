import Glibc
import HTTPOperations
import OperatingSystem
import Operations
import PluginHost
import Values

/// Copies a plugin from its source into a temporary file.
struct PluginFetch {
  /// The maximum size of a plugin's file: 256 MiB, ten times that of one with a whole language runtime in it.
  static let largest: Int64 = 256 << 20
  private static let piece = 1 << 18

  let source: InstallationSource
  var limit = largest

  /// Copies the file. The calling thread waits, and must not belong to the cooperative pool.
  ///
  /// - Returns: The URL that the content came from, if redirects led to another one.
  func fetch(into file: TemporaryFile) throws(InstallationError) -> String? {
    switch source {
    case .file(let path):
      try copy(path, into: file)
      return nil
    case .url(let url): return try download(url, into: file)
    }
  }

  private func copy(_ path: String, into file: TemporaryFile) throws(InstallationError) {
    do throws(InputFileError) {
      let input = try InputFile(path)
      var buffer = [UInt8](repeating: 0, count: Self.piece)
      var size: Int64 = 0
      while true {
        let count = SystemCall.retrying { read(input.descriptor, &buffer, buffer.count) }
        guard count >= 0 else { throw .system(path: path, number: errno) }
        if count == 0 { return }
        size += Int64(count)
        guard size <= limit else { throw .tooLong(path: path, limit: Int(limit)) }
        do throws(SystemError) {
          try SystemCall.writeAll(buffer[..<count], to: file.descriptor)
        } catch {
          throw .system(path: file.path, number: error.number)
        }
      }
    } catch {
      if case .system(file.path, let number) = error { throw .folder("write", file.path, number) }
      if case .tooLong = error { throw tooLarge }
      throw InstallationError(
        .source, "cannot read '\(path.escapedForMessage)': \(error.reason); pass the path of a shared object")
    }
  }

  private var tooLarge: InstallationError {
    InstallationError(
      .tooLarge,
      "'\(source.shown)' is larger than \(SizeNotation.format(limit)), the maximum size of a plugin; check that it is the right file"
    )
  }

  private func download(_ url: String, into file: TemporaryFile) throws(InstallationError) -> String? {
    var request = HTTPTransferRequest(url: url)
    request.options.limits.file = limit
    // The hash is that of the file as the server stores it.
    request.options.decompresses = false
    let operation = HTTPOperation(request, by: HTTPClient(), to: FileBody(descriptor: file.descriptor))
    let outcome = AwaitedOutcome<String, any Error>()
    Task {
      do { outcome.resume(with: .success(try await OperationRunner(operation).run())) } catch {
        outcome.resume(with: .failure(error))
      }
    }
    let final: String
    do {
      final = try outcome.get()
    } catch let error as HTTPOperationError {
      throw failure(error, file)
    } catch {
      throw InstallationError(.notFetched, "cannot fetch '\(source.shown)': \(error); run the command again")
    }
    let shown = HTTPURL.shown(final)
    return shown == source.shown ? nil : shown
  }

  private func failure(_ error: HTTPOperationError, _ file: TemporaryFile) -> InstallationError {
    if case .transfer(let transfer) = error.cause {
      switch transfer.code {
      case .bodyTooLarge: return tooLarge
      case .unwritableFile: return .folder("write", file.path, transfer.systemError == 0 ? EIO : transfer.systemError)
      default: break
      }
    }
    let fix =
      switch error.code {
      case "http-status": "check the URL"
      case "redirect-refused", "too-many-redirects": "pass the URL that it redirects to, if you trust it"
      case "tls-not-verified", "tls-failed": "check the server's certificate, and do not trust the file"
      default: "check the URL and the network, and run the command again"
      }
    var reason = "\(error)"
    // The source is named already.
    if reason.hasPrefix(source.shown + " ") { reason = "the server" + reason.dropFirst(source.shown.count) }
    return InstallationError(.notFetched, "cannot fetch '\(source.shown)': \(reason); \(fix)", reason: error.code)
  }
}

/// Writes the body of a response to an open file, from its beginning in each attempt.
private struct FileBody: HTTPResultProcessor {
  let descriptor: Int32

  func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<String> { Sink(descriptor: descriptor) }

  private struct Sink: HTTPResultSink {
    let descriptor: Int32

    func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination {
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw SystemError("ftruncate", errno)
      }
      return .file(descriptor: descriptor)
    }

    func finish(_ result: HTTPTransferResult) async throws -> String { result.head.url }
  }
}
