import CLibCurl
import Glibc

/// The callbacks that libcurl calls while it drives a transfer, on the client's thread. They call no code from outside this module.
enum EasyCallbacks {
  static let header: penstock_curl_data = { bytes, size, count, context in
    guard let handle = handle(context), let bytes else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return handle.receive(line: line) ? line.count : 0
  }

  static let write: penstock_curl_data = { bytes, size, count, context in
    guard let handle = handle(context), let bytes else { return 0 }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch handle.receive(body: buffer) {
    case .taken: return buffer.count
    case .held: return Int(CURL_WRITEFUNC_PAUSE)
    case .refused: return 0
    }
  }

  static let read: penstock_curl_data = { bytes, size, count, context in
    guard let handle = handle(context), let bytes else { return Int(CURL_READFUNC_ABORT) }
    return handle.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      ?? Int(CURL_READFUNC_ABORT)
  }

  static let seek: penstock_curl_seek = { context, offset, origin in
    guard let handle = handle(context), origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    handle.uploadPosition = Int64(offset)
    return CURL_SEEKFUNC_OK
  }

  /// Creates a socket that is close-on-exec from the start: other threads may start processes at any time.
  static let open: penstock_curl_open = { context, _, address in
    guard let handle = handle(context), let address else { return CURL_SOCKET_BAD }
    handle.beginsToConnect()
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.`protocol`)
    if descriptor >= 0 {
      handle.hasBegun()
    } else if let number = ResourceShortage.number(errno) {
      handle.lacking.socket = number
    }
    return descriptor
  }

  static let lookup: penstock_curl_lookup = { _, _, context in
    guard let handle = handle(context) else { return 0 }
    handle.beginsToConnect()
    handle.lacking.lookup = ResourceShortage.present()
    return 0
  }

  static let before: penstock_curl_before = { context, remote, _, port, _ in
    guard let handle = handle(context) else { return CURL_PREREQFUNC_ABORT }
    handle.hasConnected(remote.map { String(cString: $0) } ?? "", port: port)
    return CURL_PREREQFUNC_OK
  }

  private static func handle(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
    context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension EasyHandle {
  fileprivate func beginsToConnect() {
    guard phase == .queued else { return }
    phase = .connecting
    lastActivity = .now
    touch(self)
  }

  /// Notes that the transfer has its socket.
  fileprivate func hasBegun() {
    guard transfer.mailbox.noteBegun() else { return }
    touch(self)
  }

  fileprivate func hasConnected(_ address: String, port: Int32) {
    hasBegun()
    phase = transfer.upload.map { $0.smallBytes == nil && $0.size > 0 } == true ? .sending : .waiting
    lastActivity = .now
    // libcurl reports port 80 for a Unix socket.
    if port > 0, transfer.request.options.unixSocket == nil {
      remoteAddress = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
    touch(self)
  }

  fileprivate func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let upload = transfer.upload else { return nil }
    let count: Int
    switch upload.read(at: uploadPosition, into: buffer) {
    case .read(let bytes): count = bytes
    case .notLoaded:
      // libcurl calls again before the data is loaded if it continues for another reason.
      if !flow.awaitsUpload {
        (flow.wantsUpload, flow.awaitsUpload) = (true, true)
        touch(self)
      }
      return Int(CURL_READFUNC_PAUSE)
    case .failed:
      failure = HTTPTransferError(
        .unreadableBody,
        "the file with the request's body cannot be read up to the length that it had when it was opened")
      return nil
    }
    uploadPosition += Int64(count)
    lastActivity = .now
    if phase == .sending, uploadPosition == upload.size {
      phase = .waiting
      touch(self)
    }
    return count
  }

  /// Receives a line of a head or of the trailer. Returns false to end the transfer.
  fileprivate func receive(line: UnsafeRawBufferPointer) -> Bool {
    lastActivity = .now
    if phase != .receiving {
      phase = .receiving
      touch(self)
    }
    headTotal += line.count
    guard headTotal <= transfer.request.options.limits.head else {
      failure = HTTPTransferError(
        .headTooLarge,
        "\(transfer.url.authority): the head of the response is larger than the limit of \(transfer.request.options.limits.head) bytes"
      )
      return false
    }
    // The fields of the trailer, after the body, are ignored.
    guard !hasHead else { return true }
    if line.starts(with: "HTTP/".utf8) { head.removeAll(keepingCapacity: true) }
    guard line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
      head.append(contentsOf: line)
      return true
    }
    // Another head follows a 1xx response, except 101, which is final because no other protocol was requested.
    let status = ResponseHeadParser.status(head.prefix { $0 != 10 }) ?? 0
    guard !(100...199).contains(status) || status == 101 else { return true }
    hasHead = true
    transfer.mailbox.put(TransferMailbox.Head(bytes: head, remoteAddress: remoteAddress))
    touch(self)
    return true
  }

  /// The result of receiving bytes of the body.
  fileprivate enum Reception {
    case taken
    /// libcurl keeps the bytes and delivers them again when the transfer resumes.
    case held
    /// The transfer ends.
    case refused
  }

  /// Receives bytes of the body.
  fileprivate func receive(body: UnsafeRawBufferPointer) -> Reception {
    lastActivity = .now
    // The window is full, and libcurl may deliver much more in this turn.
    if flow.wantsStill {
      flow.isHeldBack = true
      return .held
    }
    switch transfer.mailbox.put(body) {
    case .taken:
      touch(self)
    case .full:
      flow.wantsStill = true
      touch(self)
    case .tooLarge(let limit):
      failure = TransferFailure.bodyTooLarge(transfer.url.authority, limit: limit)
      return .refused
    }
    return .taken
  }
}
