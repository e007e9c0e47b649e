import CLibCurl
import Glibc

/// The event loop of a client's thread: the active transfers and the turns that drive them.
///
/// Confined to the thread; nothing in it is shared.
struct TransferLoop {
  private let multi: UnsafeMutableRawPointer
  private let configuration: HTTPClientConfiguration
  private var active: [EasyHandle] = []
  private var handles: [ObjectIdentifier: EasyHandle] = [:]
  private let touched = TouchedHandles()
  /// No timeout is due before this instant. Transferring bytes only postpones timeouts.
  private var earliest: ContinuousClock.Instant?
  private var idleSince: ContinuousClock.Instant?
  /// When the process last lacked descriptors: for a while after that, idle connections are not kept.
  private var shortSince: ContinuousClock.Instant?
  private static let shortTime = Duration.seconds(60)
  /// Resumes a transfer, from any thread.
  private let requestResume: @Sendable (Transfer) -> Void

  /// The handles for which something happened in this turn.
  private final class TouchedHandles {
    var list: [EasyHandle] = []
  }

  init(
    _ multi: UnsafeMutableRawPointer, _ configuration: HTTPClientConfiguration,
    requestResume: @escaping @Sendable (Transfer) -> Void
  ) {
    self.multi = multi
    self.configuration = configuration
    self.requestResume = requestResume
  }

  /// Whether no transfer is active.
  var isIdle: Bool { active.isEmpty }

  /// Whether the client has been idle for so long that its connections need not be kept.
  var hasRested: Bool { isShort || (idleSince.map { $0.duration(to: .now) >= configuration.idleTime } ?? false) }

  private var isShort: Bool { shortSince.map { $0.duration(to: .now) < Self.shortTime } ?? false }

  // MARK: Commands

  mutating func start(_ transfer: Transfer) {
    guard !transfer.mailbox.isCancelled else { return end(transfer, .cancelled, HTTPTransferStatistics()) }
    guard let handle = makeHandle(transfer) else {
      let error = HTTPTransferError(.internalFailure, "out of memory", shortage: ENOMEM)
      return end(transfer, .failed(error), HTTPTransferStatistics())
    }
    boundConnections()
    let isUnbounded = configuration.connections == nil && configuration.connectionsPerHost == nil
    let code = handle.prepare(userAgent: configuration.userAgent, boundsConnect: isUnbounded)
    guard code == CURLE_OK, curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
      let error = handle.error(code == CURLE_OK ? CURLE_FAILED_INIT : code)
      return end(transfer, .failed(error), HTTPTransferStatistics())
    }
    idleSince = nil
    handle.index = active.count
    active.append(handle)
    handles[ObjectIdentifier(transfer)] = handle
    expect(handle)
  }

  /// Notes that the process lacks descriptors.
  mutating func noteShortage() { shortSince = .now }

  /// While descriptors are short, makes a new transfer's connection replace an idle one, which libcurl closes because of the limit on all connections. No
  /// transfer waits because of this limit: the active ones have no more connections.
  private mutating func boundConnections() {
    guard shortSince != nil else { return }
    let isShort = isShort
    if !isShort { shortSince = nil }
    let most = [configuration.connections, isShort ? active.count + 1 : nil].compactMap(\.self).min()
    _ = penstock_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most ?? 0)
  }

  mutating func cancel(_ transfer: Transfer) {
    guard let handle = handles[ObjectIdentifier(transfer)] else { return }
    remove(handle, .cancelled)
  }

  mutating func resume(_ transfer: Transfer) {
    guard let handle = handles[ObjectIdentifier(transfer)], handle.flow.standsStill || handle.flow.awaitsUpload else {
      return
    }
    // Only one of the two may be meant; the other is paused again if necessary.
    (handle.flow.standsStill, handle.flow.awaitsUpload) = (false, false)
    handle.lastActivity = .now
    expect(handle)
    pass(handle)
  }

  /// Ends all transfers with `error`.
  mutating func endAll(_ error: HTTPTransferError) {
    while let handle = active.last { remove(handle, .failed(error)) }
  }

  /// Closes the connections. Nothing may be called after this.
  mutating func cleanUp() {
    curl_multi_cleanup(multi)
  }

  // MARK: Turns

  /// Lets libcurl do what it can without waiting, and notifies the tasks.
  ///
  /// - Returns: How long to wait for the next event, in milliseconds.
  mutating func turn() -> Int32 {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      var easy: UnsafeMutableRawPointer?
      var code = CURLE_OK
      guard penstock_curl_ended(message, &easy, &code) == 1, let handle = Self.handle(of: easy) else { continue }
      if code == CURLE_OK, handle.hasHead {
        remove(handle, .finished)
      } else {
        let error = handle.error(code == CURLE_OK ? CURLE_GOT_NOTHING : code)
        if error.shortage != nil { noteShortage() }
        remove(handle, .failed(error))
      }
    }
    settle()
    return endOverdue()
  }

  /// Waits for an event, at most `milliseconds`.
  func wait(_ milliseconds: Int32) {
    curl_multi_poll(multi, nil, 0, milliseconds, nil)
  }

  /// Notifies the tasks of what was received in this turn, and pauses transfers whose window is full.
  private mutating func settle() {
    // A handle that resumes immediately can be touched again.
    while !touched.list.isEmpty {
      let list = touched.list
      touched.list.removeAll(keepingCapacity: true)
      for handle in list {
        handle.isTouched = false
        guard !handle.isOver else { continue }
        expect(handle)
        if handle.flow.wantsStill { standStill(handle) }
        if handle.flow.wantsUpload, !handle.isOver { load(handle) }
        handle.transfer.mailbox.announce()
      }
    }
  }

  /// Pauses a transfer, unless the contents of the window were taken meanwhile.
  private mutating func standStill(_ handle: EasyHandle) {
    let isHeldBack = handle.flow.isHeldBack
    (handle.flow.wantsStill, handle.flow.isHeldBack) = (false, false)
    if handle.transfer.mailbox.standStill() {
      handle.flow.standsStill = true
      curl_easy_pause(handle.pointer, handle.flow.awaitsUpload ? CURLPAUSE_RECV | CURLPAUSE_SEND : CURLPAUSE_RECV)
    } else if isHeldBack {
      pass(handle)
    }
  }

  /// Lets libcurl continue. It immediately delivers what it held back, and reports here if that was refused.
  private mutating func pass(_ handle: EasyHandle) {
    let code = curl_easy_pause(handle.pointer, CURLPAUSE_CONT)
    if code != CURLE_OK { remove(handle, .failed(handle.error(code))) }
  }

  /// Reads the bytes that a transfer sends next into memory, on another thread.
  private func load(_ handle: EasyHandle) {
    handle.flow.wantsUpload = false
    let (transfer, position) = (handle.transfer, handle.uploadPosition)
    BlockingThread.start { [requestResume] in
      transfer.upload?.load(at: position)
      requestResume(transfer)
    }
  }

  /// Ends the transfers that have timed out.
  ///
  /// - Returns: How long until the next timeout may be due, in milliseconds.
  private mutating func endOverdue() -> Int32 {
    let now = ContinuousClock.now
    if let due = earliest, due <= now {
      earliest = nil
      for handle in active {
        guard let due = TransferClock.due(handle) else { continue }
        if due.instant <= now {
          handle.failure = TransferFailure.timeout(due.code, handle.transfer.url.authority, due.limit)
          remove(handle, .failed(handle.error(CURLE_OPERATION_TIMEDOUT)))
        } else {
          earliest = min(earliest ?? due.instant, due.instant)
        }
      }
    }
    var next = earliest
    if active.isEmpty {
      let since = idleSince ?? now
      idleSince = since
      next = since + configuration.idleTime
    }
    guard let next else { return .max }
    return Int32(clamping: TransferClock.milliseconds(now.duration(to: next)))
  }

  /// Ensures that a transfer's current timeout is checked in time.
  private mutating func expect(_ handle: EasyHandle) {
    guard let due = TransferClock.due(handle) else { return }
    earliest = min(earliest ?? due.instant, due.instant)
  }

  // MARK: Ends

  private mutating func remove(_ handle: EasyHandle, _ end: TransferMailbox.End) {
    guard !handle.isOver else { return }
    handle.isOver = true
    let transfer = handle.transfer
    let statistics = handle.statistics()
    curl_multi_remove_handle(multi, handle.pointer)
    handles[ObjectIdentifier(transfer)] = nil
    let last = active.removeLast()
    if last !== handle {
      active[handle.index] = last
      last.index = handle.index
    }
    self.end(transfer, end, statistics)
  }

  private func end(_ transfer: Transfer, _ end: TransferMailbox.End, _ statistics: HTTPTransferStatistics) {
    var end = end
    // A cancelled transfer is reported as cancelled even if it fails.
    if case .failed = end, transfer.mailbox.isCancelled { end = .cancelled }
    transfer.mailbox.put(end, statistics)
    transfer.mailbox.announce()
  }

  private func makeHandle(_ transfer: Transfer) -> EasyHandle? {
    EasyHandle(transfer) { [touched] handle in
      guard !handle.isTouched else { return }
      handle.isTouched = true
      touched.list.append(handle)
    }
  }

  private static func handle(of easy: UnsafeMutableRawPointer?) -> EasyHandle? {
    guard let easy else { return nil }
    var context: UnsafeMutableRawPointer?
    guard penstock_curl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  }
}
