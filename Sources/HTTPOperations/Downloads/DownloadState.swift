import Crypto
import Glibc
import HTTPTypes

/// The state needed to resume a download, stored in a small file beside the temporary one, so that it survives the process.
///
/// Instead of the URL, which may contain secrets, it holds the URL's SHA-256.
struct DownloadState: Equatable {
  /// SHA-256 of the method and the URL.
  var source: String
  /// The value for `If-Range`: a strong entity tag, or the date of the last modification.
  var validator: String
  /// The length of the whole content; nil if the server does not report it.
  var total: Int64?
  /// The ID of the system's boot during which the temporary file was written: after a system crash, the content of the file is uncertain.
  var boot: String

  private static let header = "penstock-download 1"

  /// Creates the state for a response with the whole content; nil if it cannot be resumed.
  init?(of request: HTTPTransferRequest, head: HTTPResponseHead) {
    guard let validator = Self.validator(in: head.fields) else { return nil }
    source = Self.source(of: request)
    self.validator = validator
    total = head.fields[.contentLength].flatMap { Int64($0) }
    boot = Self.currentBoot
  }

  init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The last line is complete only if a line break follows.
    guard lines.count == 6, lines.removeFirst() == Self.header, lines[4].isEmpty else { return nil }
    source = String(lines[0])
    validator = String(lines[1])
    total = lines[2] == "-" ? nil : Int64(lines[2])
    boot = String(lines[3])
    guard !validator.isEmpty, lines[2] == "-" || total != nil else { return nil }
  }

  var text: String { "\(Self.header)\n\(source)\n\(validator)\n\(total.map(String.init) ?? "-")\n\(boot)\n" }

  /// Returns a strong entity tag; otherwise a modification date at least a minute older than the response, since a more recent date may belong to two
  /// different contents (RFC 9110, 8.8.2.2).
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

  /// Returns whether a part with these fields belongs to the content of this state.
  ///
  /// A part repeats the entity tag if there is one, but may omit all other fields (RFC 9110, 15.3.7).
  func isValidator(of fields: HTTPFields) -> Bool {
    if validator.hasPrefix("\"") { return fields[.eTag]?.trimmingSpaces() == validator }
    return (fields[.lastModified]?.trimmingSpaces()).map { $0 == validator } ?? true
  }

  static func source(of request: HTTPTransferRequest) -> String {
    HTTPChecksum.hexadecimal(SHA256.hash(data: Array("\(request.method.rawValue) \(request.url)".utf8)))
  }

  /// The boot ID of the system; empty if it is not available.
  static let currentBoot: String = {
    guard let bytes = try? FileContent.read("/proc/sys/kernel/random/boot_id", limit: 100) else { return "" }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }()
}
