import Crypto
import Glibc
import HTTPTypes

/// What must be known to go on with a download, in a small file beside the temporary one, so that it survives the
/// process.
///
/// It holds no URL, which may have secrets in it, but its SHA-256.
struct DownloadState: Equatable {
  /// SHA-256 of method and URL.
  var source: String
  /// What `If-Range` says: a strong entity tag, or the date of the last modification.
  var validator: String
  /// The length of the whole content; nil where the server does not say.
  var total: Int64?
  /// The system's boot in which the temporary file was written: what a file has after a crash of the system is not
  /// sure.
  var boot: String

  private static let header = "penstock-download 1"

  /// The state that `head`, of a response with the whole content, begins; nil where it cannot be resumed.
  init?(of request: HTTPTransferRequest, head: HTTPResponseHead) {
    guard let validator = Self.validator(in: head.fields) else { return nil }
    source = Self.source(of: request)
    self.validator = validator
    total = head.fields[.contentLength].flatMap { Int64($0) }
    boot = Self.currentBoot
  }

  init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The last line is whole only if a line break follows.
    guard lines.count == 6, lines.removeFirst() == Self.header, lines[4].isEmpty else { return nil }
    source = String(lines[0])
    validator = String(lines[1])
    total = lines[2] == "-" ? nil : Int64(lines[2])
    boot = String(lines[3])
    guard !validator.isEmpty, lines[2] == "-" || total != nil else { return nil }
  }

  var text: String { "\(Self.header)\n\(source)\n\(validator)\n\(total.map(String.init) ?? "-")\n\(boot)\n" }

  /// A strong entity tag; else a date of modification that is at least a minute older than the response, since a weaker
  /// one may be that of two different contents (RFC 9110, 8.8.2.2).
  static func validator(in fields: HTTPFields) -> String? {
    if let tag = fields[.eTag]?.trimmingSpaces(), tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 {
      return tag
    }
    guard let modified = fields[.lastModified]?.trimmingSpaces(), let date = fields[.date],
      let then = HTTPDate.parse(modified, now: .init(seconds: 0)),
      let now = HTTPDate.parse(date, now: .init(seconds: 0)), now.seconds - then.seconds >= 60
    else { return nil }
    return modified
  }

  /// Whether a part with these fields is one of the content that this is the state of.
  ///
  /// A part names the entity tag again where there is one; of its other fields it may leave out all (RFC 9110, 15.3.7).
  func isValidator(of fields: HTTPFields) -> Bool {
    if validator.hasPrefix("\"") { return fields[.eTag]?.trimmingSpaces() == validator }
    return (fields[.lastModified]?.trimmingSpaces()).map { $0 == validator } ?? true
  }

  static func source(of request: HTTPTransferRequest) -> String {
    HTTPChecksum.hexadecimal(SHA256.hash(data: Array("\(request.method.rawValue) \(request.url)".utf8)))
  }

  /// The boot id of the system, or nothing where it does not tell.
  static let currentBoot: String = {
    guard let bytes = try? FileContent.read("/proc/sys/kernel/random/boot_id", limit: 100) else { return "" }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }()
}
