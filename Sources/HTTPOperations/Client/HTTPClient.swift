import HTTPTypes

/// Speaks HTTP, on the system's libcurl: one `curl_multi` on one thread of its own, however many transfers there are.
///
/// A client keeps connections and uses them again, over HTTP/2 for several transfers at once; so one client for a
/// program is the rule. Its thread exists while there is something to do and for ``HTTPClientConfiguration/idleTime``
/// after that: a client that nobody uses costs nothing.
///
/// ```swift
/// let client = HTTPClient()
/// let result = try await client.transfer(HTTPTransferRequest(url: "http://127.0.0.1:8080/"), to: HTTPMemoryReceiver())
/// ```
///
/// Cancelling the task of a transfer ends the transfer at once. A client that is let go of ends its connections;
/// transfers hold on to it.
///
/// Every method may be called from any thread.
public final class HTTPClient: HTTPTransport {
  private let thread: TransferThread

  /// A client. Nothing is connected and no thread made before the first transfer.
  public init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
    thread = TransferThread(configuration)
  }

  deinit { thread.close() }

  /// Ends all transfers, which fail with `client-closed`, then all connections and the thread. Later transfers fail
  /// likewise. Returns when the thread has ended.
  public func shutdown() async {
    thread.close()
    await thread.waitForEnd()
  }

  /// Gives up connections that nothing uses, as others lack their descriptors: at once where no transfer is under way, else one for each that begins.
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
