import PluginKit

/// What has happened to one file or directory.
struct FileChange: Sendable, Hashable {
  enum Kind: String, CaseIterable, PluginValue {
    case create, modify, move, delete
  }

  var kind: Kind
  /// Below the path that is watched; empty for that itself.
  var path: String
  /// Where it was before it was moved.
  var from: String?
}

/// What a file was like when it was looked at.
struct FileStamp: Sendable, Hashable {
  /// Which file it is, under whatever name.
  struct Identity: Sendable, Hashable {
    var device: UInt64
    var number: UInt64
  }

  var identity: Identity
  var isDirectory: Bool
  /// Changes when what is in it changes. Nothing of a directory, whose entries are looked at themselves.
  var content: [Int64]
}

extension FileChange {
  /// What has changed between two looks, in the order of the paths. A file that is under another name now was moved.
  static func between(_ former: [String: FileStamp], _ now: [String: FileStamp]) -> [FileChange] {
    var gone: [FileStamp.Identity: String] = [:]
    for (path, stamp) in former where now[path]?.identity != stamp.identity { gone[stamp.identity] = path }
    var changes: [FileChange] = []
    for (path, stamp) in now {
      if let before = former[path] {
        // Another file under the same name is a changed file: that is how editors and `mv` replace one.
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
