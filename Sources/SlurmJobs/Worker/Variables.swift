import Glibc
import OperatingSystem

/// The environment of the worker, as Slurm and the node set it.
struct Variables {
  private var values: [String: String] = [:]

  init() {
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        values[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next = next.advanced(by: 1)
    }
  }

  subscript(_ name: String) -> String? { values[name] }

  /// All of them by name.
  var all: [String: String] { values }

  /// Returns the environment of an attempt: that of the node, and what the host sets.
  func environment(for order: JobOrder, result: String) -> [String: String] {
    // Jobs start without the variables of a login.
    var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
    if let entry = getpwuid(getuid()) {
      environment["HOME"] = String(cString: entry.pointee.pw_dir)
      environment["USER"] = String(cString: entry.pointee.pw_name)
      environment["LOGNAME"] = environment["USER"]
    }
    environment.merge(values) { $1 }
    environment.merge(order.environment) { $1 }
    environment["PENSTOCK_RESULT"] = result
    return environment
  }
}

/// Finds programs as a shell does.
enum ProgramSearch {
  /// Returns the path of `name`; nil if no directory of `path` contains an executable of that name. A name with a slash is used unchanged.
  static func locate(_ name: String, path: String?) -> String? {
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return name }
    for directory in (path ?? "").split(separator: ":") {
      let candidate = "\(directory)/\(name)"
      var status = stat()
      if access(candidate, X_OK) == 0, stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return candidate
      }
    }
    return nil
  }
}

/// The name of this computer.
enum HostName {
  static var own: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// A NULL-terminated array of C strings.
final class CArray {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    pointers = .allocate(capacity: count + 1)
    for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }

  subscript(_ index: Int) -> UnsafePointer<CChar>? { pointers[index].map { UnsafePointer($0) } }
}
