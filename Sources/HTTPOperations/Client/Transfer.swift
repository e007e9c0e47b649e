import OperatingSystem

/// A single request in progress, without redirects, with everything that the client's thread needs to know.
final class Transfer: Sendable {
  let request: HTTPTransferRequest
  let url: CurlURL
  /// The proxy to use, and the hosts that bypass it.
  let proxy: String?
  let bypass: String
  let upload: UploadSource?
  /// When the whole exchange must be complete, including earlier redirects.
  let deadline: ContinuousClock.Instant?
  let mailbox: TransferMailbox

  /// - Throws: ``HTTPTransferError`` if the request cannot be sent to any server.
  init(_ request: HTTPTransferRequest, proxies: HTTPProxies, deadline: ContinuousClock.Instant?)
    throws(HTTPTransferError)
  {
    url = try CurlURL(request.url)
    try Self.check(request)
    self.request = request
    let proxies = request.options.proxies ?? proxies
    proxy = request.options.unixSocket == nil ? (url.scheme == "https" ? proxies.https : proxies.http) : nil
    bypass = proxies.bypass
    if url.scheme == "https" || proxy?.hasPrefix("https:") == true { try Self.check(request.options.tls) }
    upload = try UploadSource(request.body)
    self.deadline = deadline
    mailbox = TransferMailbox(window: request.options.window)
  }

  /// Whether a body is sent, or announced as empty.
  var carriesBody: Bool { upload != nil || [.post, .put, .patch].contains(request.method) }

  /// Rejects what `HTTPTypes` accepts, but C strings or HTTP do not.
  private static func check(_ request: HTTPTransferRequest) throws(HTTPTransferError) {
    if request.method == .connect {
      throw HTTPTransferError(.invalidRequest, "the method CONNECT is for proxies: set a proxy in the options")
    }
    for field in request.fields where field.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) {
      throw HTTPTransferError(
        .invalidRequest, "the value of the field '\(field.name)' contains a line break or a zero byte")
    }
    let tls = request.options.tls
    let names = [
      request.options.unixSocket, tls.authorities, tls.certificate?.chain, tls.certificate?.key,
      tls.certificate?.password, request.options.proxies?.http, request.options.proxies?.https,
    ]
    for case let name? in names where name.utf8.contains(0) {
      throw HTTPTransferError(.invalidRequest, "a path or proxy in the options contains a zero byte")
    }
  }

  /// libcurl opens these files on the thread shared by all transfers, which a FIFO would block forever.
  private static func check(_ settings: HTTPTLSSettings) throws(HTTPTransferError) {
    let files = [
      ("authorities", settings.authorities), ("the certificate", settings.certificate?.chain),
      ("the key", settings.certificate?.key),
    ]
    for case (let what, let path?) in files {
      do throws(InputFileError) {
        _ = try InputFile(path)
      } catch {
        var number: Int32 = 0
        if case .system(_, let found) = error { number = found }
        var failure = HTTPTransferError(
          .tlsSettings, "the file of \(what), '\(path)', cannot be used: \(error.reason)", systemError: number)
        failure.shortage = ResourceShortage.number(number)
        throw failure
      }
    }
  }
}
