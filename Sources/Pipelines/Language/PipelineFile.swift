#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads pipeline files, within limits.
enum PipelineFile {
  /// Why a file could not be read.
  struct Failure: Error {
    var code: String
    var message: String
  }

  /// The bytes of the file at `path`. Of a file that is larger than the YAML reader takes, one byte more than that, so that the
  /// reader says so.
  ///
  /// A nested pipeline must be a regular file: opening a pipe would wait for somebody to write to it.
  static func read(_ path: String, requiresRegularFile: Bool) -> Result<[UInt8], Failure> {
    guard !path.utf8.contains(0) else { return .failure(notFound(path)) }
    var status = stat()
    guard stat(path, &status) == 0 else { return .failure(failure(path)) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { return .failure(Failure(code: "file-unreadable", message: "'\(path)' is a directory")) }
    if requiresRegularFile, kind != S_IFREG {
      return .failure(Failure(code: "file-unreadable", message: "'\(path)' is not a regular file"))
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return .failure(failure(path)) }
    defer { close(descriptor) }
    let limit = YAMLReader.maximumSize + 1
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(limit, max(Int(status.st_size), 0) + 1))
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let wanted = min(chunk.count, limit - bytes.count)
      let count = chunk.withUnsafeMutableBytes { buffer in
        #if canImport(Glibc)
          Glibc.read(descriptor, buffer.baseAddress, wanted)
        #elseif canImport(Musl)
          Musl.read(descriptor, buffer.baseAddress, wanted)
        #else
          Darwin.read(descriptor, buffer.baseAddress, wanted)
        #endif
      }
      if count < 0 {
        if errno == EINTR { continue }
        return .failure(failure(path))
      }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return .success(bytes)
  }

  private static func failure(_ path: String) -> Failure {
    let code = errno
    if code == ENOENT || code == ENOTDIR { return notFound(path) }
    return Failure(code: "file-unreadable", message: "'\(path)' cannot be read: \(String(cString: strerror(code)))")
  }

  private static func notFound(_ path: String) -> Failure {
    Failure(code: "file-not-found", message: "there is no file '\(path)'")
  }

  // MARK: - Paths

  /// The folder part of `path`, `.` where there is none.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` as seen from the folder `directory`.
  static func join(_ directory: String, _ path: String) -> String {
    if path.hasPrefix("/") || directory == "." { return path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
    let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// The absolute path of what is at `path`, links followed; where there is nothing, that of the folders which are there with
  /// the rest behind it, so that a file that is gone has the path that it had.
  static func absolute(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    // Longer ones name nothing on Linux.
    guard path.utf8.count < 4096 else { return path }
    guard path.hasPrefix("/") else {
      guard let current = getcwd(nil, 0) else { return path }
      defer { free(current) }
      return absolute(join(String(cString: current), path))
    }
    guard path != "/" else { return path }
    let folder = absolute(directory(of: path))
    switch path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...] {
    case "", ".": return folder
    case "..": return directory(of: folder)
    case let name: return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
  }
}
