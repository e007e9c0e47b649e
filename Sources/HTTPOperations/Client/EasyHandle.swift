import CLibCurl
import Glibc

/// One of libcurl's easy handles, for one transfer. Belongs to the client's thread.
///
/// Handles are not used again, though libcurl allows it: in 7.88 (that of Debian 12) a handle remembers the last field
/// of the transfer before, which is freed by then, and a server whose first line after the status begins with a blank
/// has it written to.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// Where libcurl describes a failure.
  private let message: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutablePointer<curl_slist>?
  /// What it is for, and its place among the active ones.
  let transfer: Transfer
  var index = 0

  /// What of a transfer takes time.
  enum Phase { case queued, connecting, sending, waiting, receiving }

  /// What holds the transfer up from our side.
  struct Flow {
    /// Whether nothing is taken from the network, or shall not be once this turn of the thread is over.
    var standsStill = false
    var wantsStill = false
    /// Whether libcurl holds bytes back until it is told to continue.
    var isHeldBack = false
    /// Whether what is to be sent next is being read from the disk, or has to be.
    var awaitsUpload = false
    var wantsUpload = false
  }

  var phase = Phase.queued
  /// When the phase began, or when bytes last came or went in it.
  var lastActivity = ContinuousClock.now
  var began = ContinuousClock.now
  /// The lines of the head so far, and of all heads.
  var head: [UInt8] = []
  var headTotal = 0
  var hasHead = false
  var remoteAddress: String?
  var uploadPosition: Int64 = 0
  var flow = Flow()
  /// The error numbers of a process that lacked descriptors or memory: for a socket, and for the descriptor that was asked for before a name was looked up.
  var lacking: (socket: Int32?, lookup: Int32?)
  /// Why the transfer is ended from our side.
  var failure: HTTPTransferError?
  /// Whether the transfer has ended, and the handle waits to be freed.
  var isOver = false
  /// Whether the task has to be told of something.
  var isTouched = false
  /// Tells the thread that this handle has to be settled; set once.
  let touch: (EasyHandle) -> Void

  /// Nil when there is no memory for it.
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
  /// - Returns: Whether libcurl accepted everything; else nothing may be transferred.
  func prepare(userAgent: String, boundsConnect: Bool) -> CURLcode {
    let code = EasySettings(transfer, userAgent: userAgent, boundsConnect: boundsConnect).apply(to: pointer)
    guard code == CURLE_OK else { return code }
    setCallbacks()
    return setRequest()
  }

  /// What libcurl says of a failure; may be empty.
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
          // An empty array may have no address, which would mean that there are no bytes to copy at all.
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
      // A field without a value is written with a semicolon; with a colon it would be left out.
      guard add(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)") else {
        return false
      }
    }
    if transfer.carriesBody {
      // libcurl's own ideas: a type of forms, and waiting for leave to send.
      if request.fields[.contentType] == nil, !add("Content-Type:") { return false }
      if request.fields[.expect] == nil, !add("Expect:") { return false }
    }
    return penstock_curl_set_list(pointer, CURLOPT_HTTPHEADER, fields) == CURLE_OK
  }

  /// What the transfer took so far.
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

  /// `CURLE_TOO_LARGE`, which libcurl knows from 8.6 on; before, more than it can hold back is a lack of memory.
  private static let tooLarge: UInt32 = 100

  /// The failure that libcurl's number stands for, or our own.
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

  /// The error number where the process had no descriptor, thread or memory for it and nothing of the request was sent; nil where it failed otherwise. Only of
  /// sockets is it known for sure: libcurl does not say why it could not read a file, or start a thread for a name.
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
  /// Whether there was a connection.
  var isConnected: Bool { self == .sending || self == .waiting || self == .receiving }
}
