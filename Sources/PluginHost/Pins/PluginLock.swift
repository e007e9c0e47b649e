import Glibc
import OperatingSystem
import Values

/// The file `plugins.lock`, which pins the content of the plugins that a folder's pipelines use.
///
/// It lies beside the pipeline files and is meant to be committed with them. Each line pins one plugin by the SHA-256 of its file, its id, and the
/// path at which it was pinned, separated by white space:
///
/// ```
/// # The pinned plugins: SHA-256, id and path of each. `penstock plugins verify` checks them; with --write, it updates this file.
/// 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  calendar  /usr/local/lib/penstock/plugins/libpenstock-calendar.so
/// 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  mine      plugins/mine.so
/// ```
///
/// Only the id matters: whichever file is found for it, or named for it under `plugins:`, must have that hash. An id may have several lines, for
/// several processor architectures for example; any of their hashes is then accepted. `verify` uses the path, relative to the lock's directory
/// where it is below it, if the plugin is not found by its id. Lines that begin with `#` are comments. The format is line-based rather than YAML so
/// that branches merge, and `grep` and `sha256sum` suffice to maintain it.
public struct PluginLock: Sendable, Hashable {
  /// One pinned plugin.
  public struct Line: Sendable, Hashable {
    /// The plugin's id, as derived from the name of its file.
    public let id: String
    /// 64 lower-case hexadecimal digits.
    public let sha256: String
    /// The path at which it was pinned: relative to the lock's directory if below it, otherwise absolute.
    public let path: String
    /// The line's number in the file, from 1; nil if it was not read from one. Equality ignores it.
    public let number: Int?

    /// Creates a line that pins `id`.
    public init(id: String, sha256: String, path: String, number: Int? = nil) {
      self.id = id
      self.sha256 = sha256
      self.path = path
      self.number = number
    }

    /// Whether both lines pin the same, whatever their numbers.
    public static func == (left: Self, right: Self) -> Bool {
      left.id == right.id && left.sha256 == right.sha256 && left.path == right.path
    }

    /// Hashes the members that equality compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      hasher.combine(sha256)
      hasher.combine(path)
    }
  }

  /// The name of the file: `plugins.lock`.
  public static let fileName = "plugins.lock"

  /// The path of the file, which need not exist.
  public let path: String
  /// The lines in order.
  public private(set) var lines: [Line]

  /// Creates a lock at `path` that pins nothing yet.
  public init(path: String) {
    self.path = path
    lines = []
  }

  /// Returns the path of the lock beside a pipeline file.
  ///
  /// - Parameter pipeline: The path of the pipeline file.
  /// - Returns: The path of the lock, which need not exist.
  public static func path(besidePipeline pipeline: String) -> String {
    guard let slash = pipeline.lastIndex(of: "/") else { return fileName }
    return pipeline[...slash] + fileName
  }

  /// The ids of the pinned plugins, each once, in the order of their first lines.
  public var ids: [String] {
    var known: Set<String> = []
    return lines.map(\.id).filter { known.insert($0).inserted }
  }

  /// Returns the pin of a plugin.
  ///
  /// - Parameter id: The id of the plugin.
  /// - Returns: The pin, or nil if the plugin is not pinned.
  public func pin(_ id: String) -> PluginPin? {
    let lines = lines.filter { $0.id == id }
    if lines.isEmpty { return nil }
    let numbers = lines.compactMap(\.number).map(String.init)
    let place =
      switch numbers.count {
      case 0: ""
      case 1: " (line \(numbers[0]))"
      default: " (lines \(numbers.joined(separator: ", ")))"
      }
    return PluginPin(
      hashes: lines.map(\.sha256), place: path.quotedForMessage + place,
      remedy: "'penstock plugins verify --write' pins the new one")
  }

  /// Pins a plugin to a hash, replacing all its previous pins.
  ///
  /// - Parameters:
  ///   - id: The id of the plugin.
  ///   - sha256: 64 lower-case hexadecimal digits.
  ///   - file: The absolute path of the plugin's file.
  /// - Throws: `plugin-lock` if the path has a line break, or the id is empty or has white space.
  public mutating func pin(_ id: String, to sha256: String, file: String) throws(PluginError) {
    guard !id.isEmpty, !id.contains(where: \.isWhitespace), !file.contains(where: \.isNewline) else {
      throw PluginError(
        .lock,
        "the plugin \(file.quotedForMessage) cannot be pinned because its name contains white space; rename the file")
    }
    let line = Line(id: id, sha256: sha256, path: relative(file))
    let place = lines.firstIndex { $0.id == id }
    lines.removeAll { $0.id == id }
    lines.insert(line, at: min(place ?? lines.count, lines.count))
  }

  /// Returns the path that a line names.
  ///
  /// - Parameter line: One of the lines.
  /// - Returns: An absolute path, or one relative to the current directory if the lock's own path is.
  public func file(of line: Line) -> String { line.path.hasPrefix("/") ? line.path : directory + line.path }

  /// The lock's directory with a trailing slash; empty for the current directory.
  private var directory: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  private func relative(_ file: String) -> String {
    guard let resolved = realpath(directory.isEmpty ? "." : directory, nil) else { return file }
    defer { free(resolved) }
    let own = String(cString: resolved)
    let prefix = own == "/" ? own : own + "/"
    return file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file
  }
}

// MARK: Text

extension PluginLock {
  private static let head =
    "# The pinned plugins: SHA-256, id and path of each. `penstock plugins verify` checks them; with --write, it updates this file.\n"

  /// The text of the file.
  public var text: String {
    let width = lines.map(\.id.utf8.count).max() ?? 0
    return lines.reduce(into: Self.head) { text, line in
      let space = String(repeating: " ", count: width - line.id.utf8.count + 2)
      text += "\(line.sha256)  \(line.id)\(space)\(line.path)\n"
    }
  }

  /// Creates a lock from its text.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - path: The path of the file, for messages and relative paths.
  /// - Throws: `plugin-lock`, with the number of the line.
  public init(parsing text: String, path: String) throws(PluginError) {
    self.init(path: path)
    // In Swift, a carriage return and a line feed are one character that is not equal to a line feed.
    let text = text.replacing("\r\n", with: "\n")
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
      guard let first = parts.first, !first.hasPrefix("#") else { continue }
      guard parts.count == 3, PluginHash.isValid(first) else {
        let wrong = parts.count == 3 ? "\(String(first).quotedForMessage) is not an SHA-256" : "a part is missing"
        throw PluginError(
          .lock,
          "\(path.quotedForMessage), line \(index + 1): \(wrong); a line has 64 hexadecimal digits in lower case, an id and a path"
            + " - fix it, or remove the file and pin what is there now with 'penstock plugins verify --write'")
      }
      // The path may contain spaces, and spaces before it align it.
      lines.append(
        Line(id: String(parts[1]), sha256: String(first), path: String(parts[2].drop { $0 == " " }), number: index + 1))
    }
  }

  /// Reads the lock at `path`.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: The lock, or nil if there is no file.
  /// - Throws: `plugin-lock` if the file cannot be read or is invalid.
  public static func read(_ path: String) throws(PluginError) -> PluginLock? {
    let bytes: [UInt8]
    do throws(InputFileError) {
      bytes = try InputFile.read(path, limit: largest)
    } catch {
      if error.isMissing { return nil }
      if case .tooLong = error {
        throw PluginError(
          .lock, "\(path.quotedForMessage) is larger than 16 MiB, so it is not a lock file; remove it")
      }
      throw PluginError(
        .lock,
        "cannot read \(path.quotedForMessage): \(error.reason)"
          + (error.isLackOfResources ? "" : "; check the permissions of the file and of its directory"),
        isShortage: error.isLackOfResources)
    }
    return try PluginLock(parsing: String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// The largest size that is read, in bytes; thousands of plugins need one megabyte.
  private static let largest = 16 << 20

  /// Writes the file atomically: the old one stays until the new one is complete.
  ///
  /// - Throws: `plugin-lock`.
  public func write() throws(PluginError) {
    let temporary = "\(path).\(getpid()).new"
    guard let file = Descriptor(open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)) else {
      throw Self.failure("write", path)
    }
    do throws(SystemError) {
      try SystemCall.writeAll(Array(text.utf8), to: file.number)
    } catch {
      throw Self.failure("write", path, error.number, removing: temporary)
    }
    guard fsync(file.number) == 0, rename(temporary, path) == 0 else {
      throw Self.failure("write", path, removing: temporary)
    }
  }

  private static func failure(
    _ verb: String, _ path: String, _ number: Int32 = errno, removing temporary: String? = nil
  ) -> PluginError {
    let text = SystemError.text(of: number)
    if let temporary { unlink(temporary) }
    return PluginError(
      .lock, "cannot \(verb) \(path.quotedForMessage): \(text); check the permissions of the file and of its directory")
  }
}
