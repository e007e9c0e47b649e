import Glibc
import OperatingSystem

/// A directory of plugins.
public struct PluginDirectory: Sendable, Hashable {
  /// The directory, absolute or relative to the current one.
  public var path: String
  /// Whether its plugins came with Penstock: they run in the process unless a file says otherwise.
  public var isStandard: Bool
  /// Whether only files named `libpenstock-….so` and `penstock-….so` are plugins, because other libraries lie there too.
  public var isPrefixed: Bool

  /// The directory at `path`.
  public init(path: String, isStandard: Bool = false, isPrefixed: Bool = false) {
    self.path = path
    self.isStandard = isStandard
    self.isPrefixed = isPrefixed
  }

  /// The directories in which plugins are looked for.
  ///
  /// 1. the executable's own directory, where `swift build` puts plugins: only files named `libpenstock-….so` or `penstock-….so`;
  /// 2. `../lib/penstock/plugins` from there, where `make install` puts them;
  /// 3. each directory of `PENSTOCK_PLUGIN_PATH`, in its order. Empty parts are left out, and do not mean the current directory.
  ///
  /// - Parameters:
  ///   - executable: The path of the running program; nil leaves out the first two.
  ///   - pluginPath: The value of `PENSTOCK_PLUGIN_PATH`: directories with colons between them.
  /// - Returns: The directories in this order, whether they exist or not.
  public static func standard(
    executable: String? = PluginDirectory.runningExecutable(),
    pluginPath: String? = getenv("PENSTOCK_PLUGIN_PATH").map { String(cString: $0) }
  ) -> [PluginDirectory] {
    var directories: [PluginDirectory] = []
    if let executable, let slash = executable.lastIndex(of: "/") {
      let own = slash == executable.startIndex ? "/" : String(executable[..<slash])
      directories.append(PluginDirectory(path: own, isStandard: true, isPrefixed: true))
      // Without the last component rather than with `..`, as long as there is one: messages show it.
      let parent = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? own
      directories.append(PluginDirectory(path: "\(parent)/lib/penstock/plugins", isStandard: true))
    }
    for part in (pluginPath ?? "").split(separator: ":") { directories.append(PluginDirectory(path: String(part))) }
    return directories
  }

  /// The path of the program that this process runs, without symbolic links; nil where the kernel does not tell.
  ///
  /// - Returns: An absolute path.
  public static func runningExecutable() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return OwnExecutable.path == "/proc/self/exe" ? nil : OwnExecutable.path }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // What the kernel shows of a program that was replaced while it runs.
    return path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
  }
}

extension PluginDirectory {
  /// Why a directory cannot be listed.
  struct ListingFailure: Error {
    let number: Int32

    var isMissing: Bool { number == ENOENT }
    var text: String { isMissing ? "not there" : SystemError.text(of: number) }
  }

  /// The names of the files that may be plugins, sorted.
  func names() -> Result<[String], ListingFailure> {
    guard let stream = opendir(path.isEmpty ? "." : path) else { return .failure(ListingFailure(number: errno)) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if isPlugin(name) { names.append(name) }
    }
    return .success(names.sorted())
  }

  /// The file called `name` of this directory; nil where there is none.
  func file(_ name: String) throws(PluginError) -> PluginFile? {
    let path = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return try PluginFile(at: path, origin: .directory(self.path), isStandard: isStandard)
  }

  private func isPlugin(_ name: String) -> Bool {
    guard name.hasSuffix(".so"), !name.hasPrefix("."), name.utf8.count > 3 else { return false }
    return !isPrefixed || name.hasPrefix("libpenstock-") || name.hasPrefix("penstock-")
  }
}
