import Glibc
import HTTPOperations
import Operations

/// The other process of the tests of HTTPOperations, which is killed.
///
///     HTTPChild download URL FILE     saves what is there, and goes on with what an earlier one has saved of it
@main
enum HTTPChild {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3, arguments[0] == "download" else {
      print("usage: HTTPChild download URL FILE")
      exit(2)
    }
    let request = HTTPTransferRequest(url: arguments[1])
    do {
      _ = try await OperationRunner(HTTPOperation(request, by: HTTPClient(), to: .file(arguments[2]))).run()
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}
