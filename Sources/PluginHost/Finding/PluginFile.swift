import Glibc
import OperatingSystem
import Values

/// A file that may be a plugin: found, but neither opened nor checked yet. See ``PluginVerifier`` for that.
public struct PluginFile: Sendable, Hashable {
  /// The reason why the host considers the file.
  public enum Origin: Sendable, Hashable {
    /// The file is in one of the configured directories, which is named as it was configured.
    case directory(String)
    /// A command line names it.
    case commandLine
    /// A pipeline file names it under `plugins:`.
    case pipeline
  }

  /// The identity of a file with a given content.
  public struct Identity: Sendable, Hashable {
    /// The file system: `st_dev` of `stat`.
    public let device: UInt64
    /// The inode number within its file system.
    public let inode: UInt64
    /// The size in bytes.
    public let size: Int64
    /// When the content was last modified, in nanoseconds since 1970 in UTC.
    public let modified: Int64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
      modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Whether both are the same file, whatever its content.
    public func isSameFile(as other: Identity) -> Bool { device == other.device && inode == other.inode }
  }

  /// The absolute path, without symbolic links.
  public let path: String
  /// The path by which it was found, which may go through symbolic links.
  public let foundPath: String
  /// The plugin's id as derived from the name of the file: `calendar` from `libpenstock-calendar.so`.
  public let id: String
  /// Why the host considers the file.
  public let origin: Origin
  /// Whether it came with Penstock.
  public let isStandard: Bool
  /// The file's identity when it was found.
  public let identity: Identity

  /// The size in bytes.
  public var size: Int64 { identity.size }

  /// Creates a plugin file from the file at `path`.
  ///
  /// - Parameters:
  ///   - path: An absolute path, or one relative to the current directory.
  ///   - origin: Why the host considers the file.
  ///   - isStandard: Whether it came with Penstock.
  /// - Throws: `plugin-not-found` if there is no such file, `plugin-unreadable` if its existence cannot be determined.
  public init(at path: String, origin: Origin, isStandard: Bool = false) throws(PluginError) {
    var status = stat()
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw PluginError(.notFound, "\(path.quotedForMessage) is not a path; name the plugin's shared object")
    }
    guard stat(path, &status) == 0, let canonical = Self.canonical(path) else { throw Self.missing(path, errno) }
    self.path = canonical
    foundPath = path
    id = Self.id(ofFile: path)
    self.origin = origin
    self.isStandard = isStandard
    identity = Identity(status)
  }

  /// Returns the plugin's id as derived from a file's name: without directories, `libpenstock-` or `penstock-`, and `.so`.
  ///
  /// - Parameter path: A path or a name.
  /// - Returns: The id; it may be malformed.
  public static func id(ofFile path: String) -> String {
    var name = path.split(separator: "/").last.map(Substring.init) ?? ""
    if name.hasSuffix(".so") { name = name.dropLast(3) }
    for prefix in ["libpenstock-", "penstock-"] where name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count {
      return String(name.dropFirst(prefix.count))
    }
    return String(name)
  }

  /// Returns the names that the file of the plugin `id` may have.
  ///
  /// - Parameters:
  ///   - id: The plugin's id.
  ///   - isPrefixed: Whether only names with a `penstock` prefix count.
  /// - Returns: The names, the preferred one first.
  static func names(of id: String, isPrefixed: Bool) -> [String] {
    ["libpenstock-\(id).so", "penstock-\(id).so"] + (isPrefixed ? [] : ["\(id).so"])
  }

  private static func canonical(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func missing(_ path: String, _ number: Int32) -> PluginError {
    let name = path.quotedForMessage
    var link = stat()
    switch number {
    case ENOENT where lstat(path, &link) == 0:
      return PluginError(
        .notFound, "the plugin \(name) is a symbolic link to a file that does not exist; correct or remove the link")
    case ENOENT, ENOTDIR:
      return PluginError(.notFound, "there is no plugin file \(name); check the path")
    default:
      return PluginError(
        .unreadable,
        "cannot access the plugin \(name): \(SystemError.text(of: number)); check the permissions of its directories"
      )
    }
  }
}

extension String {
  /// A path or name in quotes, always on one line.
  var quotedForMessage: String { "'\(escapedForMessage)'" }

  /// The text as one word of a command line, for people to copy from a message.
  var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "@"), 0x80...:
          true
        default: false
        }
      }
    return isPlain ? escapedForMessage : "'\(escapedForMessage.replacing("'", with: "'\\''"))'"
  }
}
