import Crypto
import Glibc

/// How a host comes from files to connections: what it does is behind closures, so that tests of the host need neither shared
/// objects nor child processes.
struct PluginConnector: Sendable {
  /// A file that may be loaded.
  struct Verified: Sendable {
    var file: PluginFile
    /// 64 hexadecimal digits in lower case.
    var sha256: String
    /// What was verified, open for reading; closed with the last reference.
    var descriptor: OpenFile
  }

  /// A descriptor that is closed when nobody has it any more.
  final class OpenFile: Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// Checks who can write the file, what it is, and the pin.
  var verify: @Sendable (PluginFile, _ pin: String?) throws(PluginError) -> Verified
  /// Loads the file where it can do no harm, to see whether it can be loaded.
  var probe: @Sendable (Verified) throws(PluginError) -> Void
  var inProcess: @Sendable (Verified, _ isCopy: Bool) throws(PluginError) -> any PluginConnection
  var isolated: @Sendable (Verified, PluginReference) throws(PluginError) -> any PluginConnection
}

extension PluginConnector {
  /// What a host does outside of tests.
  init(_ configuration: PluginHost.Configuration) {
    verify = { file, pin throws(PluginError) in try Self.read(file, pin) }
    probe = { _ in }
    inProcess = { verified, isCopy throws(PluginError) in
      let image = try PluginImage.open(
        verified.file.path, descriptor: verified.descriptor.number, isCopy: isCopy)
      let options = InProcessConnection.Options(clock: configuration.clock, log: configuration.log)
      return try InProcessConnection(image, options: options)
    }
    isolated = { verified, _ throws(PluginError) in
      throw PluginError(.notLoadable, "cannot load \(verified.file.path.quotedForMessage) in a process of its own")
    }
  }

  /// Opens and hashes the file.
  private static func read(_ file: PluginFile, _ pin: String?) throws(PluginError) -> Verified {
    let number = open(file.path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw PluginError(
        .unreadable, "cannot read the plugin \(file.path.quotedForMessage): \(String(cString: strerror(errno)))")
    }
    let descriptor = OpenFile(number)
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, offset) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw PluginError(
          .unreadable, "cannot read the plugin \(file.path.quotedForMessage): \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += count
    }
    let digits = Array("0123456789abcdef".utf8)
    let sha256 = String(
      decoding: hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    guard pin == nil || pin == sha256 else {
      throw PluginError(
        .hashMismatch,
        "the plugin \(file.path.quotedForMessage) has the hash \(sha256), pinned is \(pin ?? ""); "
          + "see 'penstock plugins verify'")
    }
    return Verified(file: file, sha256: sha256, descriptor: descriptor)
  }
}
