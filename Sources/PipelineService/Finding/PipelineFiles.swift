import Glibc
import OperatingSystem

/// The pipeline files at some paths: files as they are named, and of folders every `*.yaml` and `*.yml` below, but for names that begin with `.` or `_`.
package struct PipelineFiles: Sendable {
  /// Their paths, each once, in the order of names.
  package private(set) var files: [String] = []
  /// The folders that were looked into, in which a change may mean another file.
  package private(set) var folders: [String] = []
  /// What could not be looked at.
  package private(set) var problems: [String] = []
  private var seen: Set<String> = []

  /// Looks for the files at `paths`, which are absolute.
  package static func find(at paths: [String]) -> PipelineFiles {
    var found = PipelineFiles()
    for path in paths { found.add(path, isNamed: true) }
    found.files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return found
  }

  /// What the pipeline of a file is called that does not say.
  package static func name(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
  }

  private mutating func add(_ path: String, isNamed: Bool) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = SystemError.text(of: errno)
      problems.append(isNamed ? "cannot find '\(path)': \(reason)" : "cannot read '\(path)': \(reason)")
      // What is not there may appear.
      if isNamed { folders.append(path) }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      // A link may lead to a folder around it.
      guard seen.insert("\(status.st_dev)/\(status.st_ino)").inserted else { return }
      folders.append(path)
      addEntries(of: path)
    case S_IFREG: if isNamed || Self.isPipelineFile(path), seen.insert(path).inserted { files.append(path) }
    default: if isNamed { problems.append("'\(path)' is neither a file nor a folder") }
    }
  }

  private mutating func addEntries(of folder: String) {
    guard let directory = opendir(folder) else {
      problems.append("cannot read the folder '\(folder)': \(SystemError.text(of: errno))")
      return
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix("."), !name.hasPrefix("_") else { continue }
      // Most entries need not be looked at.
      if entry.pointee.d_type == DT_REG, !Self.isPipelineFile(name) { continue }
      names.append(name)
    }
    for name in names.sorted() {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      // Only a link to nowhere that would be a pipeline is worth a word.
      if access(path, F_OK) != 0, !Self.isPipelineFile(name) { continue }
      add(path, isNamed: false)
    }
  }

  private static func isPipelineFile(_ path: String) -> Bool { path.hasSuffix(".yaml") || path.hasSuffix(".yml") }
}
