import Dispatch
import Glibc
import HTTPOperations
import Operations

/// The child process of the tests of HTTPOperations, which is killed or run with another C library.
///
///     HTTPChild download URL FILE     downloads to a file, resuming what an earlier process has saved
///     HTTPChild cancel URL            begins a transfer, and cancels it at the first byte or the end of standard input
@main
enum HTTPChild {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("download", 3): await download(arguments[1], to: arguments[2])
    case ("cancel", 2): await cancel(arguments[1])
    default:
      print("usage: HTTPChild download URL FILE, or HTTPChild cancel URL")
      exit(2)
    }
  }

  private static func download(_ url: String, to file: String) async {
    do {
      _ = try await OperationRunner(HTTPOperation(HTTPTransferRequest(url: url), by: HTTPClient(), to: .file(file)))
        .run()
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  private static func cancel(_ url: String) async {
    let client = HTTPClient()
    let task = Task { try await client.transfer(HTTPTransferRequest(url: url), to: HTTPMemoryReceiver()) }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var byte: UInt8 = 0
        _ = read(STDIN_FILENO, &byte, 1)
        continuation.resume()
      }
    }
    task.cancel()
    let result = await task.result
    await client.shutdown()
    if case .failure(is CancellationError) = result { exit(0) }
    print("\(result)")
    exit(1)
  }
}
