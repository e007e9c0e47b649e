import HTTPTypes

/// An HTTP client built on the system's libcurl: one `curl_multi` on its own thread, however many transfers there are.
///
/// A client keeps connections and reuses them, over HTTP/2 for several transfers at once; usually a program needs only one client. Its thread exists while
/// there is something to do and for ``HTTPClientConfiguration/idleTime`` after that: an unused client costs nothing.
///
/// ```swift
/// let client = HTTPClient()
/// let result = try await client.transfer(HTTPTransferRequest(url: "http://127.0.0.1:8080/"), to: HTTPMemoryReceiver())
/// ```
///
/// Cancelling the task of a transfer ends the transfer immediately. A client closes its connections when it is released; transfers retain it.
///
/// All methods may be called from any thread.
public final class HTTPClient: HTTPTransport {
  private let thread: TransferThread

  /// Creates a client. No connection or thread is created before the first transfer.
  public init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
    thread = TransferThread(configuration)
  }

  deinit { thread.close() }

  /// Ends all transfers, which fail with `client-closed`, then all connections and the thread. Later transfers fail in the same way. Returns when the
  /// thread has ended.
  public func shutdown() async {
    thread.close()
    await thread.waitForEnd()
  }

  /// Closes idle connections because their descriptors are needed elsewhere: immediately if no transfer is active, otherwise one for each transfer that
  /// begins.
  package func giveUpIdleConnections() { thread.giveUpIdle() }

  /// Makes one attempt; see ``HTTPTransport/transfer(_:to:)``.
  public func transfer(
    _ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver
  ) async throws -> HTTPTransferResult {
    let began = ContinuousClock.now
    var request = request
    var redirects = 0
    while true {
      let transfer: Transfer
      do throws(HTTPTransferError) {
        transfer = try Transfer(
          request, proxies: thread.configuration.proxies, deadline: request.options.timeouts.total.map { began + $0 })
      } catch {
        var error = error
        if redirects > 0 { error.shortage = nil }
        throw error
      }
      let exchange = HTTPExchange(transfer, on: thread)
      let outcome = try await withTaskCancellationHandler {
        try await exchange.run(to: receiver, followed: redirects)
      } onCancel: {
        thread.cancel(transfer)
      }
      switch outcome {
      case .redirected(let next):
        request = next
        redirects += 1
      case .finished(var result):
        result.statistics.redirects = redirects
        result.statistics.total = began.duration(to: .now)
        return result
      }
    }
  }
}
