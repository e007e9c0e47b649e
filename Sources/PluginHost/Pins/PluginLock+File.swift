import Glibc
import OperatingSystem
import Values

extension PluginLock {
  /// The text of the file.
  public var text: String { entries.map { $0.text + "\n" }.joined() }

  /// Creates a lock from its text.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - path: The path of the file, for messages and relative paths.
  /// - Throws: `plugin-lock`, with the number of the line.
  public init(parsing text: String, path: String) throws(PluginError) {
    self.init(path: path)
    // In Swift, a carriage return and a line feed are one character that is not equal to a line feed.
    var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    entries = []
    for (index, line) in lines.enumerated() {
      let parts = line.split(maxSplits: 4, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
      guard let first = parts.first, !first.hasPrefix("#") else {
        entries.append(.text(String(line)))
        continue
      }
      guard parts.count >= 4, PluginHash.isValid(parts[3]) else {
        throw PluginError(.lock, "\(path.quotedForMessage), line \(index + 1): \(Self.problem(parts))")
      }
      // The path may contain spaces, and spaces before it align it.
      let location = parts.count == 5 ? String(parts[4].drop { $0 == " " || $0 == "\t" }) : ""
      func known(_ part: Substring) -> String? { part == "-" ? nil : String(part) }
      let pin = Line(
        id: String(first), version: known(parts[1]), architecture: known(parts[2]), sha256: String(parts[3]),
        location: location.isEmpty ? nil : location, number: index + 1)
      entries.append(.pin(pin, text: String(line)))
    }
  }

  private static func problem(_ parts: [Substring]) -> String {
    if let first = parts.first, PluginHash.isValid(first) {
      return
        "it begins with an SHA-256, as in earlier versions of Penstock; remove the file and pin what is there now with "
        + "'penstock plugins verify --write'"
    }
    let wrong =
      parts.count < 4 ? "a part is missing" : "\(String(parts[3]).quotedForMessage) is not an SHA-256"
    return
      "\(wrong); a line has an id, a version, an architecture, 64 hexadecimal digits in lower case and, if known, a URL or path"
      + " - fix it, or remove the file and pin what is there now with 'penstock plugins verify --write'"
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

  /// Reads the lock at `path`, changes it, and writes it if that makes a difference. Processes that do this at the same time wait for each other.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - isDirectoryLocked: Whether the caller has locked the file's directory already.
  ///   - change: The change.
  /// - Returns: What `change` returned.
  /// - Throws: `plugin-lock`, or what `change` throws.
  public static func update<Value>(
    _ path: String, isDirectoryLocked: Bool = false, _ change: (inout PluginLock) throws(PluginError) -> Value
  ) throws(PluginError) -> Value {
    let empty = PluginLock(path: path)
    // A file system that cannot lock a directory is no reason to fail: the file is replaced atomically.
    let directory =
      isDirectoryLocked ? -1 : open(empty.directory.isEmpty ? "." : empty.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 { _ = SystemCall.retrying { flock(directory, LOCK_EX) } }
    defer { if directory >= 0 { close(directory) } }
    let former = try read(path)
    var lock = former ?? empty
    let value = try change(&lock)
    if lock.text != (former ?? empty).text { try lock.write() }
    return value
  }

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
