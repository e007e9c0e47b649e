import Glibc
import OperatingSystem

/// The pipeline files at given paths: the files themselves, and every `*.yaml` and `*.yml` below folders.
///
/// Below a folder, files and folders whose names start with `.` or `_` are skipped. Symbolic links are followed; a folder reached again, such as
/// through a link to a parent, is not searched twice. Entries with matching names that are not regular files are listed in ``leftOut``, except for
/// dangling links, which the loader reports.
package struct PipelineFiles: Sendable, Hashable {
  /// A path that cannot be searched.
  package struct Problem: Sendable, Hashable {
    /// The path, as given or found.
    package var path: String
    /// The reason, such as `Permission denied`.
    package var reason: String
  }

  /// The kind of a given path.
  package enum Kind: Sendable, Hashable {
    case folder, file
    /// Nothing exists there, or a dangling link.
    case missing
    /// The path cannot be inspected.
    case unknown
  }

  /// The error of an unreadable folder: a system error number.
  package struct Unreadable: Error {
    package var number: Int32

    package init(number: Int32) {
      self.number = number
    }
  }

  /// Returns the names in a folder.
  package typealias Names = @Sendable (_ folder: String) throws(Unreadable) -> [String]

  /// Reads the names from the file system.
  package static let system: Names = { folder throws(Unreadable) in
    do throws(SystemError) {
      return try DirectoryNames.read(folder)
    } catch {
      throw Unreadable(number: error.number)
    }
  }

  /// The kinds of the given paths.
  package private(set) var given: [String: Kind] = [:]
  /// The files, in the order of the paths, and below a folder by name, without duplicates. Given paths are included even if they do not exist.
  package private(set) var files: [String] = []
  /// The folders that cannot be searched; their contents are unknown.
  package private(set) var problems: [Problem] = []
  /// The entries below folders that are named like pipeline files but are left out, with the reason: a FIFO, a device, a socket, a folder without
  /// pipeline files, or a name that is not UTF-8.
  package private(set) var leftOut: [Problem] = []
  /// Whether everything could be inspected; false if files may be missing because the process or the system ran out of descriptors or memory.
  package private(set) var isComplete = true
  /// The folders that were searched, which can be watched for new files.
  package private(set) var folders: [String] = []

  private struct Identity: Hashable {
    var device: dev_t
    var number: ino_t
  }

  private var known: Set<String> = []
  private var searched: Set<Identity> = []

  /// What exists at a path, following links.
  private enum Place {
    case folder(Identity)
    case other, missing
    case failed(Int32)
  }

  /// Finds the files of `paths`.
  package init(_ paths: [String], names: Names = Self.system) {
    let failures = LookFailures.count
    defer { isComplete = LookFailures.count == failures }
    for path in paths {
      switch Self.place(path) {
      case .folder(let identity):
        given[path] = .folder
        search(path, identity, names)
      case .other:
        given[path] = .file
        add(path)
      case .missing:
        given[path] = .missing
        add(path)
      case .failed(let number):
        given[path] = .unknown
        // The loader reports files that cannot be read.
        if Self.isNamedLikeOne(path) { add(path) } else { note(path, number) }
      }
    }
  }

  /// Returns whether a name is that of a pipeline file.
  package static func isNamedLikeOne(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

  /// Returns the default name of the pipeline in a file.
  package static func pipelineName(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
  }

  /// Returns whether a name below a folder is considered.
  package static func counts(_ name: String) -> Bool { !name.hasPrefix(".") && !name.hasPrefix("_") }

  private mutating func add(_ path: String) {
    if known.insert(path).inserted { files.append(path) }
  }

  private mutating func note(_ path: String, _ number: Int32) {
    LookFailures.note(number)
    problems.append(Problem(path: path, reason: SystemError.text(of: number)))
  }

  private mutating func leaveOut(_ path: String, _ reason: String) {
    leftOut.append(Problem(path: path, reason: reason))
  }

  /// Leaves out entries with names that are not UTF-8 and that are folders or named like pipeline files. Returns all such names as they were read.
  private mutating func leaveOutUnnamable(of names: [String], in folder: String) -> Set<String> {
    // The replacement character for invalid UTF-8 may also be a genuine part of a name.
    guard names.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return [] }
    let all = DirectoryNames.unnamable(in: folder)
    for entry in all where Self.counts(entry.shown) && (entry.isDirectory || Self.isNamedLikeOne(entry.shown)) {
      leaveOut(PathText.join(folder, entry.shown), "has a name that is not UTF-8")
    }
    return Set(all.map(\.repaired))
  }

  private mutating func search(_ folder: String, _ identity: Identity, _ names: Names) {
    // The folders still to be searched, the next one last. An explicit stack, because folders may be nested to any depth.
    var waiting = [(folder, identity)]
    var namedLikeFiles: [String] = []
    while let (folder, identity) = waiting.popLast() {
      guard searched.insert(identity).inserted else { continue }
      guard access(folder, R_OK | X_OK) == 0 else {
        note(folder, errno)
        continue
      }
      let all: [String]
      do throws(Unreadable) {
        all = try names(folder)
      } catch {
        note(folder, error.number)
        continue
      }
      folders.append(folder)
      var below: [(String, Identity)] = []
      let unnamable = leaveOutUnnamable(of: all, in: folder)
      for name in all.filter(Self.counts).sorted() {
        let path = PathText.join(folder, name)
        switch Self.place(path) {
        case .folder(let identity):
          below.append((path, identity))
          if Self.isNamedLikeOne(name) { namedLikeFiles.append(path) }
        case .missing where unnamable.contains(name): break
        case .failed(let number) where !Self.isNamedLikeOne(name): note(path, number)
        case .other, .missing, .failed:
          guard Self.isNamedLikeOne(name) else { break }
          switch InputFile.kind(of: path) {
          case .regular, nil: add(path)
          case let kind?: leaveOut(path, "is \(kind.name), not a pipeline file")
          }
        }
      }
      waiting += below.reversed()
    }
    // Such as a folder created by a container mount in place of a missing file.
    for path in namedLikeFiles where !files.contains(where: { $0.hasPrefix(path + "/") }) {
      guard !problems.contains(where: { $0.path.hasPrefix(path) }) else { continue }
      leaveOut(path, "is a folder without pipeline files, not a pipeline file")
    }
  }

  private static func place(_ path: String) -> Place {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Circular links lead nowhere.
      return [ENOENT, ENOTDIR, ELOOP].contains(errno) ? .missing : .failed(errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .other }
    return .folder(Identity(device: status.st_dev, number: status.st_ino))
  }
}
