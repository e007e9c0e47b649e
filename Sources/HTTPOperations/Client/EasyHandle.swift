import CLibCurl
import Glibc

/// A libcurl easy handle for one transfer. Confined to the client's thread.
///
/// Handles are not reused, although libcurl allows it: libcurl 7.88 (in Debian 12) keeps a pointer to the last field of the previous transfer, which is
/// freed by then, and writes to it if a response has a line after the status line that begins with a blank.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The buffer to which libcurl writes the description of a failure.
  private let message: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutablePointer<curl_slist>?
  /// The transfer, and the handle's index among the active handles.
  let transfer: Transfer
  var index = 0

  /// The phases of a transfer, each with its own timeout.
  enum Phase { case queued, connecting, sending, waiting, receiving }

  /// What blocks the transfer on our side.
  struct Flow {
    /// Whether receiving is paused, or will be at the end of this turn of the thread.
    var standsStill = false
    var wantsStill = false
    /// Whether libcurl holds bytes back until it is told to continue.
    var isHeldBack = false
    /// Whether the next bytes to send are being read from disk, or must be.
    var awaitsUpload = false
    var wantsUpload = false
  }

  var phase = Phase.queued
  /// When the phase began, or when bytes were last sent or received in it.
  var lastActivity = ContinuousClock.now
  var began = ContinuousClock.now
  /// The lines of the current head, and the total length of all heads in bytes.
  var head: [UInt8] = []
  var headTotal = 0
  var hasHead = false
  var remoteAddress: String?
  var uploadPosition: Int64 = 0
  var flow = Flow()
  /// The error numbers if the process lacked descriptors or memory: for a socket, and for the descriptor that is opened before a name lookup.
  var lacking: (socket: Int32?, lookup: Int32?)
  /// Why our side is ending the transfer.
  var failure: HTTPTransferError?
  /// Whether the transfer has ended and the handle is waiting to be freed.
  var isOver = false
  /// Whether the task must be notified.
  var isTouched = false
  /// Tells the thread that this handle must be settled. Set once.
  let touch: (EasyHandle) -> Void

  /// Creates a handle, or returns nil if there is no memory for it.
  init?(_ transfer: Transfer, touch: @escaping (EasyHandle) -> Void) {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    self.transfer = transfer
    self.touch = touch
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(fields)
    message.deallocate()
  }

  /// Prepares for the transfer.
  ///
  /// - Returns: `CURLE_OK` if libcurl accepted all options; otherwise the handle must not be used.
  func prepare(userAgent: String, boundsConnect: Bool) -> CURLcode {
    let code = EasySettings(transfer, userAgent: userAgent, boundsConnect: boundsConnect).apply(to: pointer)
    guard code == CURLE_OK else { return code }
    setCallbacks()
    return setRequest()
  }

  /// libcurl's description of a failure; may be empty.
  var detail: String { String(cString: message) }

  private func setCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = penstock_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
    _ = penstock_curl_set_data(pointer, CURLOPT_WRITEFUNCTION, EasyCallbacks.write)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_WRITEDATA, context)
    _ = penstock_curl_set_data(pointer, CURLOPT_HEADERFUNCTION, EasyCallbacks.header)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_HEADERDATA, context)
    _ = penstock_curl_set_data(pointer, CURLOPT_READFUNCTION, EasyCallbacks.read)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_READDATA, context)
    _ = penstock_curl_set_seek(pointer, EasyCallbacks.seek)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_SEEKDATA, context)
    _ = penstock_curl_set_open(pointer, EasyCallbacks.open)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, context)
    _ = penstock_curl_set_lookup(pointer, EasyCallbacks.lookup)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_RESOLVER_START_DATA, context)
    _ = penstock_curl_set_before(pointer, EasyCallbacks.before)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_PREREQDATA, context)
    _ = penstock_curl_set_pointer(pointer, CURLOPT_PRIVATE, context)
  }

  private func setRequest() -> CURLcode {
    let request = transfer.request
    var code = penstock_curl_set_string(pointer, CURLOPT_URL, request.url)
    if let upload = transfer.upload {
      if let bytes = upload.smallBytes {
        _ = penstock_curl_set_long(pointer, CURLOPT_POST, 1)
        _ = penstock_curl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
        let set = bytes.withUnsafeBytes { raw in
          // The address of an empty array may be null, which would mean that there is nothing to copy.
          raw.baseAddress.map {
            penstock_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0))
          }
            ?? penstock_curl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
        }
        if code == CURLE_OK { code = set }
      } else {
        _ = penstock_curl_set_long(pointer, CURLOPT_UPLOAD, 1)
        _ = penstock_curl_set_offset(pointer, CURLOPT_INFILESIZE_LARGE, upload.size)
      }
    } else if transfer.carriesBody {
      _ = penstock_curl_set_long(pointer, CURLOPT_POST, 1)
      _ = penstock_curl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, 0)
      _ = penstock_curl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
    }
    if request.method == .head {
      _ = penstock_curl_set_long(pointer, CURLOPT_NOBODY, 1)
    } else if request.method != .get || transfer.upload != nil {
      _ = penstock_curl_set_string(pointer, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
    guard code == CURLE_OK else { return code }
    guard setFields() else { return CURLE_OUT_OF_MEMORY }
    return CURLE_OK
  }

  private func setFields() -> Bool {
    func add(_ line: String) -> Bool {
      guard let longer = curl_slist_append(fields, line) else { return false }
      fields = longer
      return true
    }
    let request = transfer.request
    for field in request.fields {
      switch field.name.canonicalName {
      case "content-length", "transfer-encoding", "connection": continue
      default: break
      }
      // A field without a value is written with a semicolon; with a colon, libcurl would leave it out.
      guard add(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)") else {
        return false
      }
    }
    if transfer.carriesBody {
      // Suppress libcurl's defaults: the content type of forms, and `Expect: 100-continue`.
      if request.fields[.contentType] == nil, !add("Content-Type:") { return false }
      if request.fields[.expect] == nil, !add("Expect:") { return false }
    }
    return penstock_curl_set_list(pointer, CURLOPT_HTTPHEADER, fields) == CURLE_OK
  }

  /// Returns the transfer's statistics so far.
  func statistics() -> HTTPTransferStatistics {
    func offset(_ info: CURLINFO) -> Int64 {
      var value: Int64 = 0
      return penstock_curl_get_offset(pointer, info, &value) == CURLE_OK ? value : 0
    }
    func time(_ info: CURLINFO) -> Duration? {
      let value = offset(info)
      return value > 0 ? .microseconds(value) : nil
    }
    func number(_ info: CURLINFO) -> Int {
      var value = 0
      return penstock_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }
    var statistics = HTTPTransferStatistics()
    statistics.reusedConnection = number(CURLINFO_NUM_CONNECTS) == 0 && phase.isConnected
    if !statistics.reusedConnection {
      statistics.nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T)
      statistics.connect = time(CURLINFO_CONNECT_TIME_T)
      statistics.handshake = time(CURLINFO_APPCONNECT_TIME_T)
    }
    statistics.firstByte = hasHead ? time(CURLINFO_STARTTRANSFER_TIME_T) : nil
    statistics.total = began.duration(to: .now)
    statistics.bytesSent = offset(CURLINFO_SIZE_UPLOAD_T)
    statistics.bytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
    return statistics
  }

  /// `CURLE_TOO_LARGE`, which libcurl has since 8.6. Earlier versions report a lack of memory when there is more than they can hold back.
  private static let tooLarge: UInt32 = 100

  /// Returns the error for libcurl's code, or our own failure.
  func error(_ code: CURLcode) -> HTTPTransferError {
    var error: HTTPTransferError
    if let failure {
      error = failure
    } else if flow.isHeldBack, code == CURLE_OUT_OF_MEMORY || code.rawValue == Self.tooLarge {
      error = TransferFailure.expandsTooMuch(transfer.url.authority)
    } else if let number = shortage(code) {
      error = TransferFailure.shortage(number, at: TransferFailure.code(of: code), transfer.url.authority)
    } else {
      var systemError = 0
      _ = penstock_curl_get_long(pointer, CURLINFO_OS_ERRNO, &systemError)
      var proxyStatus = 0
      _ = penstock_curl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
      error = TransferFailure.error(
        code, detail: detail, authority: transfer.url.authority, hasConnected: phase.isConnected,
        proxyStatus: proxyStatus, systemError: Int32(truncatingIfNeeded: systemError), proxy: transfer.proxy)
    }
    var sent: Int64 = 0
    _ = penstock_curl_get_offset(pointer, CURLINFO_SIZE_UPLOAD_T, &sent)
    error.bytesSent = sent
    error.bytesDelivered = transfer.mailbox.delivered
    return error
  }

  /// Returns the errno if the process lacked a descriptor, thread or memory and nothing of the request was sent; nil for any other failure. This is
  /// certain only for sockets: libcurl does not say why it could not read a file or start a lookup thread.
  private func shortage(_ code: CURLcode) -> Int32? {
    guard !phase.isConnected else { return nil }
    return switch TransferFailure.code(of: code) {
    case .cannotConnect: lacking.socket
    case .nameNotResolved, .proxyNotResolved:
      lacking.lookup ?? ResourceShortage.present() ?? (detail.contains("thread failed to start") ? EAGAIN : nil)
    case .tlsFailed, .tlsNotVerified, .tlsSettings: ResourceShortage.present()
    default: code == CURLE_OUT_OF_MEMORY ? ENOMEM : nil
    }
  }
}

extension EasyHandle.Phase {
  /// Whether the connection was established.
  var isConnected: Bool { self == .sending || self == .waiting || self == .receiving }
}
