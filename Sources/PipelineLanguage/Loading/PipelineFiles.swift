import Glibc
import OperatingSystem

/// The pipeline files that paths stand for: the files themselves, and every `*.yaml` and `*.yml` below folders.
///
/// Below a folder, names that begin with `.` or `_` are left out, whether of files or of folders. Links are followed; a folder that is reached a second
/// time, as by a link to one above it, is not searched again. What is so named and is neither a file nor a folder is left out, but for a link that
/// leads nowhere, which is for the loader to report.
package struct PipelineFiles: Sendable, Hashable {
  /// A path that cannot be searched.
  package struct Problem: Sendable, Hashable {
    /// The path, as it was given or found.
    package var path: String
    /// Why, such as `Permission denied`.
    package var reason: String
  }

  /// The files, in the order of the paths, below a folder by name; each once. A path that was given is among them also where nothing is there.
  package private(set) var files: [String] = []
  /// Folders that cannot be searched.
  package private(set) var problems: [Problem] = []
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

  /// Finds the files of `paths`.
  package init(_ paths: [String]) {
    let failures = LookFailures.count
    defer { isComplete = LookFailures.count == failures }
    for path in paths {
      if let identity = Self.identity(ofFolder: path) { search(path, identity) } else { add(path) }
    }
  }

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

  private mutating func search(_ folder: String, _ identity: Identity) {
    // Folders that are still to be searched, the next one last: as deep as somebody makes them, and no recursion.
    var waiting = [(folder, identity)]
    while let (folder, identity) = waiting.popLast() {
      guard searched.insert(identity).inserted else { continue }
      guard access(folder, R_OK | X_OK) == 0 else {
        problems.append(Problem(path: folder, reason: SystemError.text(of: errno)))
        continue
      }
      folders.append(folder)
      var below: [(String, Identity)] = []
      for name in DirectoryNames.of(folder).filter(Self.counts).sorted() {
        let path = PathText.join(folder, name)
        if let identity = Self.identity(ofFolder: path) {
          below.append((path, identity))
        } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml"), [.regular, nil].contains(InputFile.kind(of: path))
        {
          add(path)
        }
      }
      waiting += below.reversed()
    }
  }

  private static func identity(ofFolder path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return Identity(device: status.st_dev, number: status.st_ino)
  }
}
