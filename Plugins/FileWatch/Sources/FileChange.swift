import PluginKit

/// A change of one file or directory.
struct FileChange: Sendable, Hashable {
  enum Kind: String, CaseIterable, PluginValue {
    case create, modify, move, delete
  }

  var kind: Kind
  /// The path below the watched path; empty for the watched path itself.
  var path: String
  /// The path before it was moved.
  var from: String?
}

/// The state of a file at the time of a scan.
struct FileStamp: Sendable, Hashable {
  /// The identity of a file, whatever its name.
  struct Identity: Sendable, Hashable {
    var device: UInt64
    var number: UInt64
  }

  var identity: Identity
  var isDirectory: Bool
  /// Changes whenever the file's content changes. Empty for a directory, whose entries are scanned themselves.
  var content: [Int64]
}

extension FileChange {
  /// Returns the changes between two scans, ordered by path. A file that now has another name was moved.
  static func between(_ former: [String: FileStamp], _ now: [String: FileStamp]) -> [FileChange] {
    var gone: [FileStamp.Identity: String] = [:]
    for (path, stamp) in former where now[path]?.identity != stamp.identity { gone[stamp.identity] = path }
    var changes: [FileChange] = []
    for (path, stamp) in now {
      if let before = former[path] {
        // Another file under the same name is a modified file: this is how editors and `mv` replace one.
        if before.isDirectory != stamp.isDirectory || before.content != stamp.content
          || (before.identity != stamp.identity && !stamp.isDirectory)
        {
          changes.append(FileChange(kind: .modify, path: path))
        }
        gone[stamp.identity] = gone[stamp.identity] == path ? nil : gone[stamp.identity]
      } else if let old = gone[stamp.identity], now[old] == nil {
        changes.append(FileChange(kind: .move, path: path, from: old))
        gone[stamp.identity] = nil
      } else {
        changes.append(FileChange(kind: .create, path: path))
      }
    }
    let moved = Set(changes.compactMap(\.from))
    for path in former.keys where now[path] == nil && !moved.contains(path) {
      changes.append(FileChange(kind: .delete, path: path))
    }
    return changes.sorted { ($0.path, $0.kind.rawValue) < ($1.path, $1.kind.rawValue) }
  }
}
