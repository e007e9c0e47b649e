import Glibc
import OperatingSystem

/// A directory that holds plugins.
public struct PluginDirectory: Sendable, Hashable {
  /// The path of the directory, absolute or relative to the current one.
  public var path: String
  /// Whether its plugins came with Penstock: these run in the host's process unless a pipeline file says otherwise.
  public var isStandard: Bool
  /// Whether only files named `libpenstock-….so` and `penstock-….so` are plugins, because the directory also holds other libraries.
  public var isPrefixed: Bool

  /// Creates a directory from its path.
  public init(path: String, isStandard: Bool = false, isPrefixed: Bool = false) {
    self.path = path
    self.isStandard = isStandard
    self.isPrefixed = isPrefixed
  }

  /// Returns the directories in which plugins are searched for:
  ///
  /// 1. the executable's own directory, where `swift build` puts plugins: only files named `libpenstock-….so` or `penstock-….so`;
  /// 2. `../lib/penstock/plugins` from there, where `make install` puts them;
  /// 3. each directory of `PENSTOCK_PLUGIN_PATH`, in its order. Empty parts are ignored; they do not mean the current directory;
  /// 4. ``added(executable:home:)``, where `penstock plugins add` puts them.
  ///
  /// - Parameters:
  ///   - executable: The path of the running program; nil omits the first two.
  ///   - pluginPath: The value of `PENSTOCK_PLUGIN_PATH`: directories separated by colons.
  ///   - home: The user's home directory; nil omits the last one.
  /// - Returns: The directories in this order, whether or not they exist.
  public static func standard(
    executable: String? = PluginDirectory.runningExecutable(),
    pluginPath: String? = getenv("PENSTOCK_PLUGIN_PATH").map { String(cString: $0) },
    home: String? = getenv("HOME").map { String(cString: $0) }
  ) -> [PluginDirectory] {
    var directories: [PluginDirectory] = []
    if let executable, let slash = executable.lastIndex(of: "/") {
      let own = slash == executable.startIndex ? "/" : String(executable[..<slash])
      directories.append(PluginDirectory(path: own, isStandard: true, isPrefixed: true))
      directories.append(PluginDirectory(path: installed(beside: own), isStandard: true))
    }
    for part in (pluginPath ?? "").split(separator: ":") { directories.append(PluginDirectory(path: String(part))) }
    if let added = added(executable: executable, home: home) { directories.append(added) }
    return directories
  }

  /// Returns the directory in which `penstock plugins add` installs third-party plugins: `.local/lib/penstock/plugins` in the home directory.
  ///
  /// If Penstock itself is installed in `.local`, its own plugins are there, and run in the host's process. Third-party plugins then get the
  /// directory `added` below it, so that they run in separate processes.
  ///
  /// - Parameters:
  ///   - executable: The path of the running program.
  ///   - home: The user's home directory.
  /// - Returns: The directory, which need not exist; nil if the path of the home directory is not absolute.
  public static func added(
    executable: String? = PluginDirectory.runningExecutable(),
    home: String? = getenv("HOME").map { String(cString: $0) }
  ) -> PluginDirectory? {
    guard var home, home.hasPrefix("/") else { return nil }
    while home.hasSuffix("/") { home.removeLast() }
    let path = "\(home)/.local/lib/penstock/plugins"
    guard let executable, let slash = executable.lastIndex(of: "/") else { return PluginDirectory(path: path) }
    let installed = installed(beside: String(executable[..<slash]))
    return PluginDirectory(path: isSame(path, installed) ? "\(path)/added" : path)
  }

  /// Returns `../lib/penstock/plugins` of a directory. The last component is dropped where possible instead of adding `..`: messages show this path.
  private static func installed(beside directory: String) -> String {
    let parent = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? directory
    return "\(parent)/lib/penstock/plugins"
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard path != other else { return true }
    return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  /// Returns the path of the program that this process runs, without symbolic links, or nil if the kernel does not provide it.
  ///
  /// - Returns: An absolute path.
  public static func runningExecutable() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return OwnExecutable.path == "/proc/self/exe" ? nil : OwnExecutable.path }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The kernel adds this suffix when the program's file was replaced while it runs.
    return path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
  }
}

extension PluginDirectory {
  /// The reason why a directory cannot be listed.
  struct ListingFailure: Error {
    let number: Int32

    var isMissing: Bool { number == ENOENT }
    var text: String { isMissing ? "does not exist" : SystemError.text(of: number) }
  }

  /// Returns the sorted names of the files that may be plugins.
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

  /// Returns the file called `name` in this directory, or nil if there is none.
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
