import CLibCurl
import Glibc
import OperatingSystem
import Synchronization

/// The thread of a client: it owns one `curl_multi` with all its connections, and drives all transfers of the client.
///
/// It exists while there is something to do, and a while longer to keep the connections. Other threads add commands to its inbox and wake it. It calls
/// only libcurl's code, and notifies the tasks of transfers through their mailboxes.
final class TransferThread: Sendable {
  private enum Command {
    case start(Transfer)
    case cancel(Transfer)
    case resume(Transfer)
    case giveUpIdle
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Set while the thread runs. Only used while the lock is held, so that it is valid.
    var multi: MultiPointer?
    /// Whether the thread must be woken to see a command.
    var isSleeping = false
    var isClosed = false
    /// The tasks waiting for the thread to end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// A pointer that other threads pass only to `curl_multi_wakeup`, which is thread-safe.
  fileprivate struct MultiPointer: @unchecked Sendable {
    // @unchecked: `curl_multi_wakeup` may be called from any thread, and the lock of the inbox keeps the pointer valid.

    let pointer: UnsafeMutableRawPointer
  }

  private let inbox = Mutex(Inbox())
  let configuration: HTTPClientConfiguration

  init(_ configuration: HTTPClientConfiguration) {
    self.configuration = configuration
  }

  // MARK: Any thread

  /// Starts a transfer. Its mailbox always receives an end.
  func start(_ transfer: Transfer) {
    send(.start(transfer))
  }

  /// Cancels a transfer.
  func cancel(_ transfer: Transfer) {
    transfer.mailbox.cancel()
    send(.cancel(transfer))
  }

  /// Resumes a paused transfer.
  func resume(_ transfer: Transfer) {
    send(.resume(transfer))
  }

  /// Closes idle connections. See ``HTTPClient/giveUpIdleConnections()``.
  func giveUpIdle() {
    send(.giveUpIdle)
  }

  /// Ends all transfers with `client-closed`, then the connections and the thread. Does not wait.
  func close() {
    inbox.withLock { inbox in
      inbox.isClosed = true
      Self.wake(&inbox)
    }
  }

  /// Waits until the thread has ended.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let isGone = inbox.withLock { inbox in
        if inbox.multi == nil { return true }
        inbox.waiters.append(continuation)
        return false
      }
      if isGone { continuation.resume() }
    }
  }

  private func send(_ command: Command) {
    var failure: HTTPTransferError?
    inbox.withLock { inbox in
      if case .start = command {
        if inbox.isClosed {
          failure = Self.closed
          return
        }
        if inbox.multi == nil {
          let multi: MultiPointer
          do throws(HTTPTransferError) { multi = try makeMulti() } catch {
            failure = error
            return
          }
          do throws(SystemError) {
            // The thread keeps what it needs alive until it ends.
            try SystemThread.detach("penstock-http", blocking: .allButFaults) { self.run(multi) }
          } catch {
            curl_multi_cleanup(multi.pointer)
            failure = Self.noThread(error.number)
            return
          }
          inbox.multi = multi
        }
      } else if inbox.multi == nil {
        return
      }
      inbox.commands.append(command)
      Self.wake(&inbox)
    }
    if let failure, case .start(let transfer) = command {
      transfer.mailbox.put(.failed(failure), HTTPTransferStatistics())
      transfer.mailbox.announce()
    }
  }

  private static func wake(_ inbox: inout Inbox) {
    guard inbox.isSleeping, let multi = inbox.multi else { return }
    inbox.isSleeping = false
    curl_multi_wakeup(multi.pointer)
  }

  private static func notSetUp(_ number: Int32) -> HTTPTransferError {
    HTTPTransferError(
      .internalFailure, "cannot initialize libcurl: \(SystemError.textWithAdvice(of: number))", shortage: number)
  }

  private static func noThread(_ error: Int32) -> HTTPTransferError {
    HTTPTransferError(
      .internalFailure, "cannot create the client's thread: \(SystemError.textWithAdvice(of: error))", shortage: error)
  }

  private static let closed = HTTPTransferError(.clientClosed, "the HTTP client was shut down")

  /// Creates the `curl_multi`.
  private func makeMulti() throws(HTTPTransferError) -> MultiPointer {
    guard CurlLibrary.isReady, let multi = curl_multi_init() else {
      throw Self.notSetUp(ResourceShortage.present() ?? ENOMEM)
    }
    // Without descriptors, libcurl 7.88 creates one that cannot be woken, so that commands would wait for the next timeout.
    guard curl_multi_wakeup(multi) == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw Self.notSetUp(ResourceShortage.present() ?? EMFILE)
    }
    Self.set(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
    Self.set(multi, CURLMOPT_MAXCONNECTS, configuration.idleConnections)
    if let most = configuration.connectionsPerHost { Self.set(multi, CURLMOPT_MAX_HOST_CONNECTIONS, most) }
    if let most = configuration.connections { Self.set(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most) }
    return MultiPointer(pointer: multi)
  }

  private static func set(_ multi: UnsafeMutableRawPointer, _ option: CURLMoption, _ value: Int) {
    _ = penstock_curl_multi_set_long(multi, option, max(1, value))
  }

  // MARK: The thread

  /// Runs transfers until there has been nothing to do for a while, or the client is closed.
  private func run(_ multi: MultiPointer) {
    var loop = TransferLoop(multi.pointer, configuration) { [weak self] in self?.resume($0) }
    while true {
      let (commands, isClosed) = inbox.withLock { inbox in
        let taken = inbox.commands
        inbox.commands = []
        return (taken, inbox.isClosed)
      }
      for command in commands {
        switch command {
        case .start(let transfer): loop.start(transfer)
        case .cancel(let transfer): loop.cancel(transfer)
        case .resume(let transfer): loop.resume(transfer)
        case .giveUpIdle: loop.noteShortage()
        }
      }
      if isClosed { loop.endAll(Self.closed) }
      let timeout = loop.turn()
      let sleeps = inbox.withLock { inbox in
        inbox.isSleeping = inbox.commands.isEmpty && (!inbox.isClosed || isClosed)
        return inbox.isSleeping
      }
      if loop.isIdle, isClosed || !sleeps || loop.hasRested, end(&loop, isClosed: isClosed) { return }
      loop.wait(sleeps ? timeout : 0)
      inbox.withLock { $0.isSleeping = false }
    }
  }

  /// Ends the thread unless there are new commands. Returns whether it ended.
  private func end(_ loop: inout TransferLoop, isClosed: Bool) -> Bool {
    let ended: [CheckedContinuation<Void, Never>]? = inbox.withLock { inbox in
      guard inbox.commands.isEmpty, isClosed || loop.hasRested else { return nil }
      // From here on, the next transfer creates a new thread.
      inbox.multi = nil
      inbox.isSleeping = false
      let waiters = inbox.waiters
      inbox.waiters = []
      return waiters
    }
    guard let ended else { return false }
    loop.cleanUp()
    for waiter in ended { waiter.resume() }
    return true
  }
}
