import CProcess
import Glibc
import OperatingSystem
import PluginABI
import Synchronization

/// A shared object that is permanently mapped into this process: it cannot be unmapped, because of what it registered with its language runtimes.
package final class PluginImage: @unchecked Sendable {
  // @unchecked: the entry is a copy that never changes.

  /// The path of the file, for messages.
  package let file: String
  /// The part of the plugin's entry that both sides know.
  let entry: UnsafePointer<penstock_plugin_entry>
  /// An address in the shared object.
  let address: UnsafeRawPointer

  private let reports: PluginReports

  private init(file: String, handle: UnsafeMutableRawPointer, reports: PluginReports) throws(PluginError) {
    (entry, address) = try Self.entry(of: handle, file: file)
    self.file = file
    self.reports = reports
  }

  /// Maps a shared object and reads its entry. Runs its initialisers, but none of the plugin's functions.
  ///
  /// Each call returns an image with its own variables: if the file is already mapped, even by other code in this process, a copy in memory is mapped.
  ///
  /// - Parameters:
  ///   - file: The path.
  ///   - descriptor: An open descriptor of the verified file, which is then mapped even if the path now leads to another one. The caller keeps ownership.
  ///   - isCopy: Whether to map a copy in any case.
  ///   - log: Called with reports of slow calls until the plugin is opened.
  /// - Returns: The image.
  /// - Throws: `notLoadable` with the dynamic linker's message, `noEntry`, `malformed` and `versionMismatch`.
  package static func open(
    _ file: String, descriptor: Int32? = nil, isCopy: Bool = false,
    log: @escaping @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void = { _, _, _ in }
  ) throws(PluginError) -> PluginImage {
    let reports = PluginReports(plugin: PluginFile.id(ofFile: file), log: log)
    guard !isCopy else { return try copy(file, descriptor: descriptor, reports) }
    let handle = try map(file, descriptor: descriptor, reports)
    let image = try PluginImage(file: file, handle: handle, reports: reports)
    // A known handle means that the linker found the file among those already mapped.
    guard claim(handle) else { return try copy(file, descriptor: descriptor, reports) }
    return image
  }

  // MARK: Mapping

  /// The linker's handles of the images that are in use.
  private static let claimed = Mutex<Set<UInt>>([])

  private static func claim(_ handle: UnsafeMutableRawPointer) -> Bool {
    let number = UInt(bitPattern: handle)
    return claimed.withLock { $0.insert(number).inserted }
  }

  private static func map(
    _ file: String, descriptor: Int32?, _ reports: PluginReports
  ) throws(PluginError) -> UnsafeMutableRawPointer {
    guard let descriptor else { return try map(path: file, file: file, reports) }
    do throws(PluginError) {
      return try map(path: path(of: descriptor), file: file, reports)
    } catch {
      // Libraries beside the plugin ($ORIGIN) are found only by its path. The path is as good as the descriptor if it still leads to the same file:
      // anyone who could replace it now could have done so before it was verified.
      guard isSame(file, descriptor), let handle = try? map(path: file, file: file, reports) else { throw error }
      return handle
    }
  }

  private static func map(
    path: String, file: String, _ reports: PluginReports
  ) throws(PluginError) -> UnsafeMutableRawPointer {
    let (handle, words) = MappingThread.shared.run {
      CallWatchdog.shared.watch(.initializer, of: nil, reports) {
        _ = dlerror()
        let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)
        return (UInt(bitPattern: handle), handle == nil ? dlerror().map { String(cString: $0) } : nil)
      }
    }
    if let handle = UnsafeMutableRawPointer(bitPattern: handle) { return handle }
    throw refusal(words ?? "unknown error", path: path, file: file)
  }

  /// Returns an error with the linker's message, the file's own path, and advice.
  private static func refusal(_ words: String, path: String, file: String) -> PluginError {
    var words = words
    for (name, replacement) in [(path + ": ", ""), (path, file)] {
      while let range = words.firstRange(of: name) { words.replaceSubrange(range, with: replacement) }
    }
    let advice =
      if words.contains("undefined symbol") {
        "it was built against another version of a library, or without one that it needs: see 'ldd -r'"
      } else if words.contains("cannot open shared object file") {
        "install the library, or add its directory to the plugin's run path"
      } else {
        "see 'ldd' for what it needs"
      }
    return PluginError(.notLoadable, "cannot load plugin '\(file)': \(words); \(advice)")
  }

  private static func isSame(_ file: String, _ descriptor: Int32) -> Bool {
    var left = stat()
    var right = stat()
    return stat(file, &left) == 0 && fstat(descriptor, &right) == 0 && left.st_dev == right.st_dev
      && left.st_ino == right.st_ino
  }

  private static let pathCount = Atomic<Int>(0)

  /// Returns a path to the file open as `descriptor`. The linker assumes that a known path means the same file, but descriptor numbers are reused:
  /// so each path has a different number of slashes.
  private static func path(of descriptor: Int32) -> String {
    let count = pathCount.add(1, ordering: .relaxed).newValue
    return "/proc/self/fd" + String(repeating: "/", count: count % 2000) + String(repeating: "/.", count: count / 2000)
      + "/\(descriptor)"
  }

  // MARK: Copies

  private static func copy(
    _ file: String, descriptor: Int32?, _ reports: PluginReports
  ) throws(PluginError) -> PluginImage {
    let source = descriptor ?? Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard source >= 0 else {
      throw PluginError(.unreadable, "cannot read plugin '\(file)': \(SystemError.text(of: errno))")
    }
    defer { if descriptor == nil { close(source) } }
    let memory = MemoryCopy.make(of: source, path: file)
    guard memory >= 0 else {
      throw PluginError(
        .unreadable, "cannot copy plugin '\(file)' into memory: \(SystemError.text(of: -memory))")
    }
    defer { close(memory) }
    let handle = try map(path: path(of: memory), file: file, reports)
    guard claim(handle) else {
      throw PluginError(.notLoadable, "cannot load plugin '\(file)': the dynamic linker did not map it a second time")
    }
    return try PluginImage(file: file, handle: handle, reports: reports)
  }

  // MARK: The entry

  private static func entry(
    of handle: UnsafeMutableRawPointer, file: String
  ) throws(PluginError) -> (UnsafePointer<penstock_plugin_entry>, UnsafeRawPointer) {
    guard let symbol = dlsym(handle, "penstock_plugin") else {
      throw PluginError(
        .noEntry,
        "'\(file)' does not export 'penstock_plugin', so it is not a plugin; a plugin defines it with PENSTOCK_EXPORT of plugin.h"
      )
    }
    let least = PENSTOCK_PLUGIN_ENTRY_SIZE_1_0
    guard let entry = ContractTable.copy(symbol, penstock_plugin_entry.self, least: least) else {
      throw PluginError(
        .malformed,
        "the entry of plugin '\(file)' has \(ContractTable.size(symbol)) bytes instead of at least \(least); "
          + "its first member must be sizeof(penstock_plugin_entry)")
    }
    let (major, minor) = (entry.abi_major, entry.abi_minor_needed)
    guard major == PENSTOCK_ABI_MAJOR else {
      throw PluginError(
        .versionMismatch,
        "plugin '\(file)' uses version \(major) of the plugin contract, but this host uses version \(PENSTOCK_ABI_MAJOR); "
          + "get a build for this host")
    }
    guard minor <= PENSTOCK_ABI_MINOR else {
      throw PluginError(
        .versionMismatch,
        "plugin '\(file)' needs version \(major).\(minor) of the plugin contract, this host has "
          + "\(PENSTOCK_ABI_MAJOR).\(PENSTOCK_ABI_MINOR); update Penstock")
    }
    guard entry.describe != nil else {
      throw PluginError(.malformed, "plugin '\(file)' has no 'describe', which every plugin must have")
    }
    guard entry.capability != nil else {
      throw PluginError(.malformed, "plugin '\(file)' has no 'capability', which every plugin must have")
    }
    return (ContractTable.keep(entry), UnsafeRawPointer(symbol))
  }

  /// Returns the plugin's description of itself, unchecked.
  package func describe() throws(PluginError) -> [UInt8] {
    guard let describe = entry.pointee.describe else { return [] }
    switch PluginText.bytes(CallWatchdog.shared.watch(.describe, of: nil, reports) { describe() }) {
    case .success(let bytes): return Array(bytes)
    case .failure:
      throw PluginError(
        .malformed, "'describe' of plugin '\(file)' returns a text that has no bytes or more than 16 MiB")
    }
  }

  /// Whether the plugin was compiled with a later minor version than this host.
  package var isNewer: Bool { entry.pointee.abi_minor > PENSTOCK_ABI_MINOR }

  /// The function of penstock.instants/1.
  typealias Between =
    @convention(c) (
      UnsafeMutableRawPointer?, penstock_text, Int64, Int64, UInt32, penstock_take?, UnsafeMutableRawPointer?
    ) -> penstock_status

  /// Returns the plugin's `between`, or nil if it has none.
  ///
  /// - Throws: `malformed` if its table is smaller than in version 1.1.
  func between() throws(PluginError) -> Between? {
    // A plugin of version 1.0 cannot know the capability, whatever it answers.
    guard entry.pointee.abi_minor >= 1, let table = capability(PENSTOCK_INSTANTS) else { return nil }
    let least = PENSTOCK_INSTANTS_SIZE_1_1
    guard let copy = ContractTable.copy(table, penstock_instants.self, least: least) else {
      throw PluginError(
        .malformed,
        "plugin '\(file)' returns a table of \(ContractTable.size(table)) bytes for '\(PENSTOCK_INSTANTS)' instead of at least "
          + "\(least)")
    }
    return copy.between
  }

  /// Returns the table of a capability.
  func capability(_ id: String) -> UnsafeRawPointer? {
    PluginText.with(Array(id.utf8)) { text in
      CallWatchdog.shared.watch(.capability, of: nil, reports) { entry.pointee.capability?(text) }
    }
  }
}
