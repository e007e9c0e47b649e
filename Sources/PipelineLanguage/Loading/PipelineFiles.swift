import Glibc
import OperatingSystem

/// The pipeline files that paths stand for: the files themselves, and every `*.yaml` and `*.yml` below folders.
///
/// Below a folder, names that begin with `.` or `_` are left out, whether of files or of folders. Links are followed; a folder that is reached a second
/// time, as by a link to one above it, is not searched again. What is so named and is no regular file is left out, and told in ``leftOut``, but for a link that
/// leads nowhere, which is for the loader to report.
package struct PipelineFiles: Sendable, Hashable {
  /// A path that cannot be searched.
  package struct Problem: Sendable, Hashable {
    /// The path, as it was given or found.
    package var path: String
    /// Why, such as `Permission denied`.
    package var reason: String
  }

  /// What a path that was given stands for.
  package enum Kind: Sendable, Hashable {
    case folder, file
    /// Nothing is there, or a link that leads nowhere.
    case missing
    /// What is there cannot be looked at.
    case unknown
  }

  /// Why a folder cannot be read: an error number of the system.
  package struct Unreadable: Error {
    package var number: Int32

    package init(number: Int32) {
      self.number = number
    }
  }

  /// Reads the names in a folder.
  package typealias Names = @Sendable (_ folder: String) throws(Unreadable) -> [String]

  /// Reads them from the system.
  package static let system: Names = { folder throws(Unreadable) in
    do throws(SystemError) {
      return try DirectoryNames.read(folder)
    } catch {
      throw Unreadable(number: error.number)
    }
  }

  /// What the paths that were given stand for.
  package private(set) var given: [String: Kind] = [:]
  /// The files, in the order of the paths, below a folder by name; each once. A path that was given is among them also where nothing is there.
  package private(set) var files: [String] = []
  /// Folders that cannot be searched: what is below them is unknown.
  package private(set) var problems: [Problem] = []
  /// What has the name of a pipeline file below a folder and is left out, with what it is: a FIFO, a device, a socket, a folder without pipeline files, or
  /// something whose name is not UTF-8.
  package private(set) var leftOut: [Problem] = []
  /// Whether everything could be looked at: there may be further files where the process or the system was out of descriptors or memory.
  package private(set) var isComplete = true
  /// The folders that were searched, which are those to be watched for further files.
  package private(set) var folders: [String] = []

  private struct Identity: Hashable {
    var device: dev_t
    var number: ino_t
  }

  private var known: Set<String> = []
  private var searched: Set<Identity> = []

  /// What is at a path, links followed.
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
        // Of a file, the loader tells.
        if Self.isNamedLikeOne(path) { add(path) } else { note(path, number) }
      }
    }
  }

  /// Whether a name is that of a pipeline file.
  package static func isNamedLikeOne(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

  /// What the pipeline of a file is called that does not say.
  package static func pipelineName(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
  }

  /// Whether a name below a folder counts.
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

  /// Leaves out what no path leads to and may be, or hold, pipeline files. Returns its names as they were read.
  private mutating func leaveOutUnnamable(of names: [String], in folder: String) -> Set<String> {
    // What stands in place of bytes that are not UTF-8, and may be part of a name.
    guard names.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return [] }
    let all = DirectoryNames.unnamable(in: folder)
    for entry in all where Self.counts(entry.shown) && (entry.isDirectory || Self.isNamedLikeOne(entry.shown)) {
      leaveOut(PathText.join(folder, entry.shown), "has a name that is not UTF-8")
    }
    return Set(all.map(\.repaired))
  }

  private mutating func search(_ folder: String, _ identity: Identity, _ names: Names) {
    // Folders that are still to be searched, the next one last: as deep as somebody makes them, and no recursion.
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
    // A folder in the place of a file that was missing when somebody mounted it, say.
    for path in namedLikeFiles where !files.contains(where: { $0.hasPrefix(path + "/") }) {
      guard !problems.contains(where: { $0.path.hasPrefix(path) }) else { continue }
      leaveOut(path, "is a folder without pipeline files, not a pipeline file")
    }
  }

  private static func place(_ path: String) -> Place {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Links in a circle lead nowhere.
      return [ENOENT, ENOTDIR, ELOOP].contains(errno) ? .missing : .failed(errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .other }
    return .folder(Identity(device: status.st_dev, number: status.st_ino))
  }
}
