import Glibc

/// The places that determine what is at a path: each directory on the way to it, and each that a link on the way leads through.
struct PathWalk {
  /// A directory entry, or, without a name, the end of the path.
  struct Place {
    let path: String
    let name: String?
    /// Whether it is the entry that the path refers to, so that its content counts as well as its existence.
    let isLast: Bool
  }

  /// The maximum number of links, as in the kernel.
  private static let mostLinks = 40

  /// Visits the places in order, each before what lies behind it is read: a caller that watches a place when it is visited misses nothing.
  static func visit(_ path: String, _ body: (Place) -> Void) {
    var rest = components(path)
    var directory = "/"
    var links = 0
    while let name = rest.popLast() {
      if name == ".." {
        directory = parent(of: directory)
        continue
      }
      body(Place(path: directory, name: name, isLast: rest.isEmpty))
      let next = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
      var status = stat()
      guard lstat(next, &status) == 0 else { return }
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        links += 1
        guard links <= mostLinks, let target = target(of: next) else { return }
        rest += components(target)
        if target.hasPrefix("/") { directory = "/" }
      case S_IFDIR: directory = next
      default:
        if rest.isEmpty { body(Place(path: next, name: nil, isLast: true)) }
        return
      }
    }
    body(Place(path: directory, name: nil, isLast: true))
  }

  /// Returns the names in `path`, the last one first.
  private static func components(_ path: String) -> [String] {
    path.split(separator: "/").lazy.filter { $0 != "." }.map(String.init).reversed()
  }

  private static func parent(of directory: String) -> String {
    let end = directory.lastIndex(of: "/") ?? directory.startIndex
    return end == directory.startIndex ? "/" : String(directory[..<end])
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(link, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
