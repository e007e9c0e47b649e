import Glibc
import OperatingSystem
import Values

/// The file `plugins.lock`, which pins the content of the plugins that a folder's pipelines use, and says where to get them.
///
/// It lies beside the pipeline files and is meant to be committed with them. Each line pins one plugin for one processor architecture: its id,
/// its version, the architecture, the SHA-256 of its file and, if known, the URL or path from which it comes, separated by white space:
///
/// ```
/// # The plugins of these pipelines: id, version, architecture, SHA-256 and where to get it.
/// words 1.2.0 x86_64 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 https://example.org/words-1.2.0-x86_64.so
/// words 1.2.0 aarch64 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752 https://example.org/words-1.2.0-aarch64.so
/// mine - x86_64 fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13 plugins/mine.so
/// ```
///
/// Whichever file is found for an id, or named for it under `plugins:`, must have the hash of one of its lines. `penstock plugins install` fetches
/// what the lines for this computer's architecture name. Version and architecture are `-` if unknown. A path is relative to the lock's directory.
/// Lines that begin with `#` are comments; they are kept, and lines that do not change are written as they were read. The format is line-based
/// rather than YAML so that branches merge, and `grep` and `sha256sum` suffice to maintain it.
public struct PluginLock: Sendable, Hashable {
  /// The name of the file: `plugins.lock`.
  public static let fileName = "plugins.lock"

  /// The path of the file, which need not exist.
  public let path: String
  var entries: [Entry]

  /// A line of the file.
  enum Entry: Sendable, Hashable {
    /// A comment or an empty line.
    case text(String)
    /// A pin, with its text in the file.
    case pin(Line, text: String)
  }

  /// Creates a lock at `path` that pins nothing yet.
  public init(path: String) {
    self.path = path
    entries = [.text(Self.head)]
  }

  /// The first line of a new file.
  static let head = "# The plugins of these pipelines: id, version, architecture, SHA-256 and where to get it."

  /// The pins in order.
  public var lines: [Line] { entries.compactMap(\.line) }

  /// Whether both locks pin the same in the same order, whatever their comments and spaces.
  public static func == (left: Self, right: Self) -> Bool { left.path == right.path && left.lines == right.lines }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(lines)
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

  /// Returns the lines of a plugin that are for this computer: those of its architecture, and those whose architecture is unknown.
  ///
  /// - Parameter id: The id of the plugin.
  /// - Returns: The lines in order.
  public func ownLines(_ id: String) -> [Line] { lines.filter { $0.id == id && $0.isForThisComputer } }

  /// Returns the pin of a plugin: to its lines for this computer or, if there are none, to all its lines.
  ///
  /// - Parameter id: The id of the plugin.
  /// - Returns: The pin, or nil if the plugin is not pinned.
  public func pin(_ id: String) -> PluginPin? {
    let own = ownLines(id)
    let lines = own.isEmpty ? lines.filter { $0.id == id } : own
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

  // MARK: Changes

  /// Adds a line, in place of all others for its plugin and its architecture.
  ///
  /// - Parameter line: The new line.
  /// - Throws: `plugin-lock` if it cannot be written as one line of words.
  public mutating func pin(_ line: Line) throws(PluginError) {
    guard line.isWritable else {
      throw PluginError(
        .lock,
        "the plugin \((line.location ?? line.id).quotedForMessage) cannot be pinned because its name contains white space; rename the file"
      )
    }
    let isReplaced = { (entry: Entry) in
      entry.line.map { $0.id == line.id && ($0.architecture == line.architecture || $0.architecture == nil) } ?? false
    }
    if entries.contains(where: { $0.line == line && isReplaced($0) }), entries.count(where: isReplaced) == 1 { return }
    let last = entries.lastIndex { $0.line?.id == line.id }
    let place = entries.firstIndex(where: isReplaced) ?? last.map { $0 + 1 } ?? entries.count
    entries.removeAll(where: isReplaced)
    entries.insert(.pin(line, text: line.text), at: min(place, entries.count))
  }

  /// Pins a plugin for this computer to the hash of a file, replacing its previous pins for this computer. The version of a line with this hash is kept,
  /// and so is its URL.
  ///
  /// - Parameters:
  ///   - id: The id of the plugin.
  ///   - sha256: 64 lower-case hexadecimal digits.
  ///   - file: The absolute path of the plugin's file.
  /// - Throws: `plugin-lock` if the path has a line break, or the id is empty or has white space.
  public mutating func pin(_ id: String, to sha256: String, file: String) throws(PluginError) {
    let former = ownLines(id).first { $0.sha256 == sha256 }
    try pin(
      Line(
        id: id, version: former?.version, architecture: ProcessorArchitecture.own, sha256: sha256,
        location: former?.location ?? relative(file)))
  }

  /// Removes all lines of a plugin.
  ///
  /// - Parameter id: The id of the plugin.
  /// - Returns: The removed lines.
  public mutating func remove(_ id: String) -> [Line] {
    let removed = lines.filter { $0.id == id }
    entries.removeAll { $0.line?.id == id }
    return removed
  }

  // MARK: Paths

  /// Returns the path of the file that a line names.
  ///
  /// - Parameter line: One of the lines.
  /// - Returns: An absolute path, or one relative to the current directory if the lock's own path is; nil if the line names no file.
  public func file(of line: Line) -> String? {
    guard let location = line.location, !line.isURL else { return nil }
    return location.hasPrefix("/") ? location : directory + location
  }

  /// Returns the path of a file as a line names it: relative to the lock's directory if the file is below it.
  ///
  /// - Parameter file: An absolute path without symbolic links.
  /// - Returns: The path.
  public func relative(_ file: String) -> String {
    guard let resolved = realpath(directory.isEmpty ? "." : directory, nil) else { return file }
    defer { free(resolved) }
    let own = String(cString: resolved)
    let prefix = own == "/" ? own : own + "/"
    return file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file
  }

  /// The lock's directory with a trailing slash; empty for the current directory.
  var directory: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
}

extension PluginLock.Entry {
  var line: PluginLock.Line? { if case .pin(let line, _) = self { line } else { nil } }
  var text: String {
    switch self {
    case .text(let text), .pin(_, let text): text
    }
  }
}
