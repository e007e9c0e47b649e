import Glibc
import OperatingSystem
import Synchronization

/// Looks at a file that is to be loaded, before any of its code runs, and refuses it where it may not be.
///
/// Refused is what others can write or replace, what is no plugin for this computer and this version of the contract, what is damaged, and
/// what does not have the hash that it was pinned to.
public struct PluginVerifier: Sendable {
  private let path: TrustedPath

  /// A verifier for the user of this process.
  public init() { self.init(user: geteuid()) }

  /// A verifier that trusts root and `user`.
  init(user: uid_t) { path = TrustedPath(user: user) }

  /// Verifies a file.
  ///
  /// - Parameters:
  ///   - file: What ``PluginFinder`` found.
  ///   - pins: The hashes that it may have; it must have one of each. Without any it is not hashed.
  /// - Returns: The file, open: what was verified is what is to be loaded, whatever the path leads to later.
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

/// A file that was verified, and is open. It is closed when nobody holds this any more; what was loaded stays loaded.
public final class VerifiedPlugin: Sendable {
  /// What was verified.
  public let file: PluginFile
  /// What it says about the contract.
  public let entry: PluginEntry
  /// The names of the libraries that it needs, as the file has them.
  public let libraries: [String]

  private let opened: TrustedPath.Opened
  private let computed = Mutex<String?>(nil)

  /// The absolute path, without symbolic links, by which the file was opened.
  public var path: String { opened.path }
  /// What the file was when it was opened.
  public var identity: PluginFile.Identity { opened.identity }
  /// Open for reading, with the close-on-exec flag, as long as this is held.
  public var descriptor: Int32 { opened.descriptor.number }
  /// What `dlopen` takes to load this very file.
  public var loadPath: String { "/proc/self/fd/\(descriptor)" }

  fileprivate init(
    file: PluginFile, opened: consuming TrustedPath.Opened, entry: PluginEntry, libraries: [String]
  ) {
    self.file = file
    self.opened = opened
    self.entry = entry
    self.libraries = libraries
  }

  /// The SHA-256 of the file's content: 64 hexadecimal digits in lower case. It is computed once.
  ///
  /// - Returns: The hash.
  /// - Throws: `plugin-unreadable`, also where the file changed meanwhile.
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
    .unreadable, "it changed while it was read", fix: "try again when nobody writes it any more")

  private func checkUnchanged() throws(Refusal) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, PluginFile.Identity(status) == identity else { throw Self.changed }
  }

  /// A copy of the file's content that nobody can change.
  ///
  /// - Returns: An open descriptor, which is the caller's, with the close-on-exec flag.
  /// - Throws: `plugin-unreadable`, also where the content is another one than was verified.
  func copy() throws(PluginError) -> Int32 {
    do throws(Refusal) {
      let memory = MemoryCopy.make(of: descriptor, path: path)
      guard memory >= 0 else {
        throw Refusal(
          .unreadable, "it cannot be copied into memory: \(SystemError.text(of: -memory))",
          fix: "see that there is memory for it")
      }
      do throws(Refusal) {
        // Whoever has pinned it does not rely on the times that a file shows.
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
