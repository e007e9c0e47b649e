import Glibc
import OperatingSystem

/// Finds the rules of zones by name, in the computer's time zone database.
///
/// Every call reads a file, so frequent callers should keep the rules. `UTC` needs no database.
public struct TimeZoneDatabase: Sendable {
  /// The directories of the database, in search order.
  public let directories: [String]
  /// The value of the variable `TZ`, for ``local()``.
  private let variable: String?
  /// The file or link that defines the computer's zone, for ``local()``.
  private let localTimePath: String

  /// Creates a database in `directories`. The computer's zone is that of `variable` (the value of `TZ`), or else of `localTimePath`.
  public init(directories: [String], variable: String? = nil, localTimePath: String = "/etc/localtime") {
    self.directories = directories
    self.variable = variable
    self.localTimePath = localTimePath
  }

  /// The database in `TZDIR`, or else in the usual system directories. Reads the environment on every access.
  public static var system: TimeZoneDatabase {
    let common = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"]
    let directory = environment("TZDIR")
    return TimeZoneDatabase(directories: directory.map { [$0] } ?? common, variable: environment("TZ"))
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Returns the rules of the zone `name`, such as `Europe/Berlin`; `local` is the computer's zone.
  public func zone(_ name: String) throws(TimeZoneError) -> TimeZoneRules {
    switch name {
    case "UTC", "Etc/UTC": return TimeZoneRules.utc
    case "local": return try local()
    default: return try load(name)
    }
  }

  /// Returns the computer's zone: that of `TZ`, else the target of `/etc/localtime`, else UTC.
  public func local() throws(TimeZoneError) -> TimeZoneRules {
    if var text = variable {
      if text.hasPrefix(":") { text.removeFirst() }
      if let name = name(ofPath: text) { text = name }
      if text == "UTC" { return .utc }
      do throws(TimeZoneError) {
        return try load(text)
      } catch {
        // Not a name, so possibly the rules themselves, as in `CET-1CEST,M3.5.0,M10.5.0/3`.
        guard let formula = TimeZoneFormulaParser.parse(text.utf8) else { throw error }
        return TimeZoneRules(name: text, localTimes: [formula.standard], formula: formula)
      }
    }
    if let target = Self.target(of: localTimePath), let name = name(ofPath: target) {
      return name == "UTC" || name == "Etc/UTC" ? .utc : try load(name)
    }
    switch Self.read(localTimePath) {
    case .bytes(let bytes): return try TimeZoneFile.parse(bytes, name: "local")
    case .missing: return .utc
    case .failed(let reason): throw .unreadable(name: "local", path: localTimePath, reason: reason)
    }
  }

  /// Returns the names of all zones, sorted; empty if there is no database. Reads a few hundred directory entries.
  public func names() -> [String] {
    for directory in directories {
      var names: [String] = []
      Self.list(directory, prefix: "", depth: 0, into: &names)
      if !names.isEmpty { return names.sorted() }
    }
    return []
  }

  /// Returns the description of `error`. For an unknown zone, it suggests the name that `nearest` picks from all names.
  public func explain(_ error: TimeZoneError, nearest: (String, [String]) -> String?) -> String {
    guard case .unknown(let name) = error, let near = nearest(name, names()) else { return error.description }
    return "there is no time zone '\(name)'; did you mean '\(near)'?"
  }

  // MARK: - Files

  private func load(_ name: String) throws(TimeZoneError) -> TimeZoneRules {
    guard Self.isValid(name) else { throw .invalidName(name) }
    var hasDirectory = false
    for directory in directories {
      let path = directory + "/" + name
      switch Self.read(path) {
      case .bytes(let bytes): return try TimeZoneFile.parse(bytes, name: name)
      case .failed(let reason): throw .unreadable(name: name, path: path, reason: reason)
      case .missing: hasDirectory = hasDirectory || access(directory, F_OK) == 0
      }
    }
    throw hasDirectory ? .unknown(name) : .noDatabase(name: name, directories: directories)
  }

  /// Returns whether `name` may be looked up: words of letters, digits, `_`, `+` and `-`, separated by slashes. Dots are not allowed, so that a name
  /// cannot lead out of the directory.
  static func isValid(_ name: String) -> Bool {
    guard (1...128).contains(name.utf8.count) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { word in
      guard let first = word.first, first != UInt8(ascii: "-") else { return false }
      return word.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F || $0 == 0x2B || $0 == 0x2D }
    }
  }

  /// Returns the name of the zone whose file is at `path`, if the path contains it.
  private func name(ofPath path: String) -> String? {
    for directory in directories + ["zoneinfo"] {
      let marker = Array((directory + "/").utf8)
      let bytes = Array(path.utf8)
      guard bytes.count > marker.count else { continue }
      for start in 0...(bytes.count - marker.count) where bytes[start..<start + marker.count].elementsEqual(marker) {
        let name = String(decoding: bytes[(start + marker.count)...], as: UTF8.self)
        if Self.isValid(name) { return name }
      }
    }
    return nil
  }

  private enum Content {
    case bytes([UInt8])
    case missing
    case failed(String)
  }

  private static func read(_ path: String) -> Content {
    // O_NONBLOCK avoids waiting for the writer of a FIFO.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .missing : .failed(reason()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failed(reason()) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      return kind == S_IFDIR ? .missing : .failed("it is not a file")
    }
    // Reads one byte past the limit, so that the parser detects files that are too long.
    let limit = TimeZoneFile.maximumLength + 1
    let length = min(max(Int(status.st_size), 0), limit)
    var bytes = [UInt8](repeating: 0, count: length)
    do throws(SystemError) {
      let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
        try SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: 0)
      }
      return .bytes(Array(bytes[..<count]))
    } catch {
      return .failed(SystemError.text(of: error.number))
    }
  }

  private static func reason() -> String {
    SystemError.text(of: errno)
  }

  private static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  private static func list(_ directory: String, prefix: String, depth: Int, into names: inout [String]) {
    guard depth < 4, names.count < 10_000, let stream = opendir(directory) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard isValid(name), name.utf8.first.map({ $0 &- 0x41 < 26 }) ?? false else { continue }
      guard let isDirectory = isDirectory(directory, name, type: entry.pointee.d_type) else { continue }
      if isDirectory {
        list(directory + "/" + name, prefix: prefix + name + "/", depth: depth + 1, into: &names)
      } else {
        names.append(prefix + name)
      }
    }
  }

  /// Returns whether the entry is a directory; nil if it cannot be determined. Nearly all file systems supply the type with the name.
  private static func isDirectory(_ directory: String, _ name: String, type: UInt8) -> Bool? {
    switch Int(type) {
    case Int(DT_DIR): return true
    case Int(DT_REG): return false
    default:
      var status = stat()
      return stat(directory + "/" + name, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
    }
  }
}
