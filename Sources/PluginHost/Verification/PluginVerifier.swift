import Glibc
import OperatingSystem
import Synchronization

/// Checks a file before any of its code runs, and refuses it if it must not be loaded.
///
/// A file is refused if others can write or replace it, if it is not a plugin for this computer and this version of the contract, if it is damaged,
/// and if its hash is not the pinned one.
public struct PluginVerifier: Sendable {
  private let path: TrustedPath

  /// Creates a verifier for the user of this process.
  public init() { self.init(user: geteuid()) }

  /// Creates a verifier that trusts root and `user`.
  init(user: uid_t) { path = TrustedPath(user: user) }

  /// Verifies a file.
  ///
  /// - Parameters:
  ///   - file: The file that ``PluginFinder`` found.
  ///   - pins: The allowed hashes; the file's hash must match every pin. Without pins, the file is not hashed.
  /// - Returns: The file, open: the verified content is loaded even if the path later leads elsewhere.
  /// - Throws: `plugin-not-found`, `plugin-unreadable`, `not-a-shared-object`, `wrong-architecture`, `no-plugin-entry`,
  ///   `abi-mismatch`, `malformed-plugin`, `writable-by-others` or `hash-mismatch`, each with what to do about it.
  public func verify(_ file: PluginFile, pins: [PluginPin] = []) throws(PluginError) -> VerifiedPlugin {
    do throws(Refusal) {
      let opened = try path.open(file.foundPath)
      let image = try ELFImage(ELFBytes(descriptor: opened.descriptor.number, size: opened.identity.size))
      let entry = try PluginEntry(image)
      try ELFRelocations.check(image)
      let libraries = try image.dynamic.libraries(image)
      let verified = VerifiedPlugin(file: file, opened: opened, entry: entry, libraries: libraries)
      for pin in pins { try pin.check(try verified.hash()) }
      return verified
    } catch {
      throw error.error(for: file.foundPath)
    }
  }
}

/// A verified file, kept open. It is closed when this object is released; what was loaded from it stays loaded.
public final class VerifiedPlugin: Sendable {
  /// The file that was verified.
  public let file: PluginFile
  /// Its statement about the contract.
  public let entry: PluginEntry
  /// The names of the libraries that it needs, as written in the file.
  public let libraries: [String]

  private let opened: TrustedPath.Opened
  private let computed = Mutex<String?>(nil)

  /// The absolute path, without symbolic links, by which the file was opened.
  public var path: String { opened.path }
  /// The file's identity when it was opened.
  public var identity: PluginFile.Identity { opened.identity }
  /// A descriptor for reading, with the close-on-exec flag, that is open as long as this object exists.
  public var descriptor: Int32 { opened.descriptor.number }
  /// The path by which `dlopen` loads this very file.
  public var loadPath: String { "/proc/self/fd/\(descriptor)" }

  fileprivate init(
    file: PluginFile, opened: consuming TrustedPath.Opened, entry: PluginEntry, libraries: [String]
  ) {
    self.file = file
    self.opened = opened
    self.entry = entry
    self.libraries = libraries
  }

  /// Returns the SHA-256 of the file's content: 64 lower-case hexadecimal digits. It is computed once.
  ///
  /// - Returns: The hash.
  /// - Throws: `plugin-unreadable`, also if the file changed meanwhile.
  public func sha256() throws(PluginError) -> String {
    do throws(Refusal) { return try hash() } catch { throw error.error(for: file.foundPath) }
  }

  fileprivate func hash() throws(Refusal) -> String {
    if let known = computed.withLock({ $0 }) { return known }
    let hash = try PluginHash.sha256(ofDescriptor: descriptor)
    try checkUnchanged()
    computed.withLock { $0 = hash }
    return hash
  }

  private static let changed = Refusal(
    .unreadable, "it changed while it was read", fix: "retry when nothing writes to it any more")

  private func checkUnchanged() throws(Refusal) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, PluginFile.Identity(status) == identity else { throw Self.changed }
  }

  /// Returns a copy of the file's content that cannot be changed.
  ///
  /// - Returns: An open descriptor with the close-on-exec flag, owned by the caller.
  /// - Throws: `plugin-unreadable`, also if the content differs from the verified one.
  func copy() throws(PluginError) -> Int32 {
    do throws(Refusal) {
      let memory = MemoryCopy.make(of: descriptor, path: path)
      guard memory >= 0 else {
        throw Refusal(
          .unreadable, "it cannot be copied into memory: \(SystemError.text(of: -memory))",
          fix: "free some memory and retry")
      }
      do throws(Refusal) {
        // A pinned file is compared by its hash, because its modification time can be forged.
        if let known = computed.withLock({ $0 }), try PluginHash.sha256(ofDescriptor: memory) != known {
          throw Self.changed
        }
        try checkUnchanged()
      } catch {
        close(memory)
        throw error
      }
      return memory
    } catch {
      throw error.error(for: file.foundPath)
    }
  }
}
