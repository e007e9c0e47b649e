import HTTPTypes
import OperatingSystem

/// A receiver that is notified when a transfer has acquired the resources it needs from the process.
protocol TransferBeginning {
  /// Called once the transfer has its socket or reuses a connection.
  var onBegin: (@Sendable () -> Void)? { get }
}

/// A request and its response, from the perspective of the requesting task. Once `run` returns, the transfer has ended and the thread no longer touches it.
struct HTTPExchange {
  /// The result of an exchange.
  enum Outcome {
    case finished(HTTPTransferResult)
    case redirected(HTTPTransferRequest)
  }

  /// How much of a redirect's own body is read, in bytes, so that the connection can be reused; after a longer body, the connection is closed.
  private static let redirectBody: Int64 = 64 * 1024

  private let transfer: Transfer
  private let thread: TransferThread
  private var mailbox: TransferMailbox { transfer.mailbox }

  init(_ transfer: Transfer, on thread: TransferThread) {
    self.transfer = transfer
    self.thread = thread
  }

  func run(to receiver: some HTTPBodyReceiver, followed redirects: Int) async throws -> Outcome {
    thread.start(transfer)
    do {
      if let onBegin = (receiver as? any TransferBeginning)?.onBegin {
        await mailbox.wait(for: .beginning)
        if mailbox.hasBegun { onBegin() }
      }
      await mailbox.wait(for: .head)
      guard let raw = mailbox.head else { try throwEnd(redirects) }
      guard
        let head = ResponseHeadParser.parse(raw.bytes, url: transfer.url.plain, remoteAddress: raw.remoteAddress)
      else {
        throw HTTPTransferError(.protocolViolation, "\(transfer.url.authority): the head of the response is invalid")
      }
      try Task.checkCancellation()
      if let next = try RedirectRule.next(after: head, to: transfer.request, followed: redirects) {
        await drop()
        try Task.checkCancellation()
        return .redirected(next)
      }
      let destination = try await receiver.receive(head)
      let body = try await deliver(head, to: destination, receiver)
      await mailbox.wait(for: .end)
      guard let end = mailbox.end, case .finished = end.end else { try throwEnd(redirects) }
      let rest = destination == .memory ? mailbox.take().bytes : body
      return .finished(HTTPTransferResult(head: head, body: rest, statistics: end.statistics))
    } catch {
      // The thread must not touch the transfer once the caller has the error.
      thread.cancel(transfer)
      await mailbox.wait(for: .end)
      throw error
    }
  }

  /// Throws the error that the transfer ended with, after `redirects` redirects.
  private func throwEnd(_ redirects: Int) throws -> Never {
    switch mailbox.end?.end {
    case .failed(var error):
      error.isElsewhere = redirects > 0 || transfer.proxy != nil
      // The first server has received the request.
      if redirects > 0 { error.shortage = nil }
      throw error
    default: throw CancellationError()
    }
  }

  /// Reads the body of a redirect, or cancels the transfer if the body is too long.
  private func drop() async {
    let decision = mailbox.decide(.nowhere, limit: Self.redirectBody)
    if decision.isTooLarge { thread.cancel(transfer) }
    if decision.resumes { thread.resume(transfer) }
    await mailbox.wait(for: .end)
  }

  private func deliver(
    _ head: HTTPResponseHead, to destination: HTTPBodyDestination, _ receiver: some HTTPBodyReceiver
  ) async throws -> [UInt8] {
    let limits = transfer.request.options.limits
    let limit =
      switch destination {
      case .memory, .nowhere: limits.body ?? .max
      case .chunks, .file: limits.file ?? .max
      }
    if let announced = announcedLength(head), announced > limit {
      throw TransferFailure.bodyTooLarge(transfer.url.authority, limit: limit)
    }
    switch destination {
    case .memory: try decide(.memory, limit)
    case .nowhere: try decide(.nowhere, limit)
    case .chunks: try await deliverChunks(to: receiver, limit)
    case .file(let descriptor): try await deliver(to: descriptor, limit)
    }
    return []
  }

  private func decide(_ mode: TransferMailbox.Mode, _ limit: Int64) throws {
    let decision = mailbox.decide(mode, limit: limit)
    if decision.resumes { thread.resume(transfer) }
    if decision.isTooLarge { throw TransferFailure.bodyTooLarge(transfer.url.authority, limit: limit) }
  }

  private func deliverChunks(to receiver: some HTTPBodyReceiver, _ limit: Int64) async throws {
    try decide(.chunks, limit)
    while true {
      await mailbox.wait(for: .body)
      try Task.checkCancellation()
      let taken = mailbox.take()
      if taken.resumes { thread.resume(transfer) }
      if taken.bytes.isEmpty { return }
      try await receiver.receive(taken.bytes)
    }
  }

  private func deliver(to descriptor: Int32, _ limit: Int64) async throws {
    try decide(.file, limit)
    let error = await BodyWriter(mailbox: mailbox, descriptor: descriptor, resume: { thread.resume(transfer) }).run()
    guard error == 0 else {
      throw HTTPTransferError(
        .unwritableFile,
        "the response of \(transfer.url.authority) cannot be written to its file: \(SystemError.text(of: error))",
        systemError: error)
    }
  }

  /// Returns the length of the body if the head announces it and nothing is decompressed.
  private func announcedLength(_ head: HTTPResponseHead) -> Int64? {
    guard transfer.request.method != .head, head.status.code != 204, head.status.code != 304 else { return nil }
    var length: Int64?
    for field in head.fields {
      if field.name == .contentEncoding || field.name == .transferEncoding { return nil }
      if field.name == .contentLength { length = Int64(field.value) }
    }
    return length
  }
}
