import Glibc
import OperatingSystem
import OrderedCollections
import Values

/// Files of an operation that were kept with its attempt, in the directory of the run: `runs/<id>/<ordinal>-<attempt>.artifacts/<name>/<path>`.
public struct KeptArtifact: Sendable, Hashable {
  /// The operation's name for it.
  public var name: String
  /// The directory that it is in, relative to the workspace.
  public var folder: String
  /// The original locations, relative to the directory of the operation: one path, of a file or a directory, or those of all files that matched a pattern.
  public var paths: [String]
  /// Whether a pattern specified it, so that it is a list, however many files it has.
  public var isList: Bool
  /// The number of files, including those in directories.
  public var files: Int
  /// The total size in bytes.
  public var size: Int64
  /// In the record of a loop: the item it belongs to, and the number of items. Items without artifacts are omitted.
  public var item: Item?

  /// An item of a loop.
  public struct Item: Sendable, Hashable {
    /// The index, from 0.
    public var index: Int
    /// The number of items of the loop.
    public var count: Int

    /// Creates an item.
    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// Creates an artifact.
  public init(name: String, folder: String, paths: [String], isList: Bool, files: Int, size: Int64, item: Item? = nil) {
    self.item = item
    self.name = name
    self.folder = folder
    self.paths = paths
    self.isList = isList
    self.files = files
    self.size = size
  }
}

extension KeptArtifact {
  /// Returns the name of the directory of an attempt's artifacts, within that of its run.
  package static func folderName(ordinal: Int, attempt: Int) -> String { "\(ordinal)-\(attempt)\(suffix)" }

  /// Returns the part before the attempt number in these names, for an operation instance.
  package static func prefix(ordinal: Int) -> String { "\(ordinal)-" }

  package static let suffix = ".artifacts"

  /// The path components of ``folder`` in a workspace. Records come from the database, which others may have written: nothing else is opened.
  var steps: [String]? {
    let steps = folder.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard steps.count == 4, steps[0] == "runs", RunID(steps[1])?.text == steps[1], steps[2].hasSuffix(Self.suffix),
      !steps[2].hasPrefix("."), Self.isPlain(steps[3])
    else { return nil }
    return steps
  }

  /// The run whose directory contains it.
  package var run: RunID? { steps.flatMap { RunID($0[1]) } }

  /// Returns the components of one of its paths, or nil if that leads elsewhere.
  package static func steps(of path: String) -> [String]? {
    let steps = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return !steps.isEmpty && steps.allSatisfy(isPlain) ? steps : nil
  }

  private static func isPlain(_ step: String) -> Bool {
    !step.isEmpty && step != "." && step != ".." && !step.utf8.contains(0)
  }

  /// Opens its directory.
  package func open(in workspace: String) throws(SystemError) -> Folder {
    guard let steps else { throw SystemError("openat", EINVAL) }
    return try Folder(workspace).folder(steps)
  }

  /// Whether everything recorded of it still exists.
  package func isThere(in workspace: String) -> Bool {
    guard let root = try? open(in: workspace) else { return false }
    return paths.allSatisfy { path in
      guard let steps = Self.steps(of: path), let name = steps.last, let folder = try? root.folder(steps.dropLast())
      else { return false }
      return switch folder.entry(name) {
      case .file, .folder: true
      default: false
      }
    }
  }

  /// Returns its value in expressions: absolute paths.
  package func value(in workspace: String) -> JSONValue {
    let all = paths.map { JSONValue.string("\(workspace)/\(folder)/\($0)") }
    return isList ? .array(all) : all.first ?? .null
  }

  /// Its value in `detail`, and in the output of `history show --json`.
  package var jsonValue: JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "name": .string(name), "folder": .string(folder), "paths": .array(paths.map { .string($0) }),
      "list": .bool(isList), "files": JSONValue(files), "size": .int(size),
    ]
    if let item { members["item"] = JSONValue(item.index) }
    if let item { members["items"] = JSONValue(item.count) }
    return .object(members)
  }

  /// Parses what ``jsonValue`` has written; nil if something is missing or leads out of the workspace.
  package init?(_ value: JSONValue) {
    guard let name = value["name"]?.stringValue, let folder = value["folder"]?.stringValue,
      case .array(let listed)? = value["paths"], case .bool(let isList)? = value["list"],
      let files = value["files"]?.intValue.flatMap({ Int(exactly: $0) }), let size = value["size"]?.intValue
    else { return nil }
    let paths = listed.compactMap(\.stringValue)
    guard paths.count == listed.count, paths.allSatisfy({ Self.steps(of: $0) != nil }) else { return nil }
    self.init(name: name, folder: folder, paths: paths, isList: isList, files: files, size: size)
    guard steps != nil else { return nil }
    if let index = value["item"]?.intValue, let count = value["items"]?.intValue, 0..<count ~= index, count <= 1 << 20 {
      item = Item(index: Int(index), count: Int(count))
    }
  }

  /// Returns the value of `artifacts.x`: those of an operation by name, or those of each item of a loop, with null for items without any.
  package static func value(of artifacts: [KeptArtifact], isLoop: Bool, in workspace: String) -> JSONValue {
    guard isLoop else {
      return .object(.init(artifacts.map { ($0.name, $0.value(in: workspace)) }, uniquingKeysWith: { $1 }))
    }
    let items = Dictionary(grouping: artifacts) { $0.item?.index ?? -1 }
    return .array(
      (0..<(artifacts.first?.item?.count ?? 0)).map { index in
        items[index].map { value(of: $0, isLoop: false, in: workspace) } ?? .null
      })
  }
}

extension OperationRecord {
  /// The artifacts that were kept; none if it has not succeeded.
  package var artifacts: [KeptArtifact] {
    guard isDone, let detail, detail.contains("\"\(DetailKey.artifacts)\":"),
      case .array(let list)? = (try? JSONValue.parse(detail))?[DetailKey.artifacts]
    else { return [] }
    return list.compactMap { KeptArtifact($0) }
  }
}
