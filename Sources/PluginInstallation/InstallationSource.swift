import Glibc
import HTTPOperations
import PluginHost
import Values

/// The place that a plugin comes from.
public enum InstallationSource: Sendable, Hashable {
  /// A file on this computer.
  case file(path: String)
  /// An `http` or `https` URL, with any user and password in it.
  case url(String)

  /// Reads the argument of a command, or the location of a line of `plugins.lock`.
  ///
  /// - Parameter text: A path, or a URL with the scheme `https`, `http` or `file`.
  /// - Throws: `plugin-source` if it is neither.
  public init(_ text: String) throws(InstallationError) {
    guard !text.isEmpty else {
      throw InstallationError(.source, "the name of the plugin's file is empty; pass a path or URL")
    }
    guard let colon = text.firstRange(of: "://") else {
      self = .file(path: text)
      return
    }
    switch text[..<colon.lowerBound].lowercased() {
    case "http", "https":
      do throws(HTTPEncodingError) {
        _ = try HTTPURL(text)
      } catch {
        throw InstallationError(.source, "'\(Self.shown(text))' cannot be fetched: \(error)")
      }
      self = .url(text)
    case "file":
      let rest = text[colon.upperBound...]
      let path = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
      guard path.hasPrefix("/"), let decoded = Self.decoded(path) else {
        throw InstallationError(
          .source,
          "'\(text.escapedForMessage)' is not the URL of a file on this computer; write file:///PATH, or the path alone"
        )
      }
      self = .file(path: decoded)
    case let scheme:
      throw InstallationError(
        .source,
        "a plugin cannot be fetched by '\(String(scheme.prefix(20)).escapedForMessage)'; the supported schemes are https, http and file"
      )
    }
  }

  /// The source for messages, without user, password and query.
  public var shown: String {
    switch self {
    case .file(let path): path.escapedForMessage
    case .url(let text): Self.shown(text)
    }
  }

  /// Whether anyone on the way to the server could change the file: it is fetched by `http` from another computer.
  public var isUnprotected: Bool {
    guard case .url(let text) = self, let url = try? HTTPURL(text) else { return false }
    return url.scheme == "http" && !["127.0.0.1", "[::1]", "localhost"].contains(url.host)
  }

  /// Returns the location for a line of a lock: the URL without user and password, or the path of a file below the lock's directory; nil for other files, because
  /// another computer does not have them.
  func location(in lock: PluginLock) -> String? {
    switch self {
    case .url(let text): return (try? HTTPURL(text))?.text
    case .file(let path):
      guard let resolved = realpath(path, nil) else { return nil }
      defer { free(resolved) }
      let relative = lock.relative(String(cString: resolved))
      return relative.hasPrefix("/") ? nil : relative
    }
  }

  private static func shown(_ text: String) -> String {
    (try? HTTPURL(text)) == nil ? String(text.prefix(200)).escapedForMessage : HTTPURL.shown(text)
  }

  /// Returns the text with `%XX` replaced by bytes; nil if that is not possible.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = Substring(rest.prefix(2)).utf8.count == 2 ? UInt8(Substring(rest.prefix(2)), radix: 16) : nil,
        value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
