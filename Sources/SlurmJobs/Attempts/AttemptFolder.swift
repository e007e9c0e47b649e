import Glibc
import OperatingSystem

/// The directory of one start of an attempt, which the host and the nodes of the cluster see. Only its owner can access it.
///
/// | file | writer | content |
/// |---|---|---|
/// | `job.json` | host | a ``JobOrder`` |
/// | `input` | host | standard input |
/// | `secrets` | host | a ``SecretOrder``; the worker removes it before it starts the program |
/// | `batch` | host | the token of the batch that it was submitted with, and its index there |
/// | `claim` | worker | made by `link(2)`, which is atomic on NFS, too: whoever makes it decides about the attempt |
/// | `beat` | worker | touched every ten seconds |
/// | `stop` | host | a request to stop; `kill` if without grace |
/// | `out`, `err`, `result` | program | its output and its result |
/// | `end.json` | worker | an ``EndRecord``; its room is reserved as `end.new` |
package struct AttemptFolder: Sendable, Hashable {
  /// The largest end record that counts.
  private static let recordLimit = 64 << 10
  /// The room that is reserved for an end record; larger ones need more.
  private static let reservedSize = 4096
  /// The largest order, in bytes.
  static let orderLimit = 64 << 20
  /// What a host writes as its claim.
  private static let hostClaim = "host"

  /// The directory of the run, in which all its attempts have theirs.
  package let run: String
  package let token: AttemptToken

  package init(run: String, token: AttemptToken) {
    self.run = run
    self.token = token
  }

  package var path: String { "\(run)/\(token.text)" }
  package var order: String { "\(path)/job.json" }
  package var input: String { "\(path)/input" }
  package var secrets: String { "\(path)/secrets" }
  package var batch: String { "\(path)/batch" }
  package var beat: String { "\(path)/beat" }
  package var stop: String { "\(path)/stop" }
  package var output: String { "\(path)/out" }
  package var error: String { "\(path)/err" }
  package var result: String { "\(path)/result" }
  private var claimPath: String { "\(path)/claim" }
  private var recordPath: String { "\(path)/end.json" }

  /// The entry of `ends` that tells of the beginning.
  package var beginning: String { "\(token.text).begun" }

  /// The directory whose entries are the tokens of the attempts of a run that have ended, and with `.begun` those that have begun.
  package static func ends(of run: String) -> String { "\(run)/ends" }

  // MARK: The claim

  /// Whose claim there is.
  package enum Claim: Sendable, Hashable {
    /// The host's: it must not begin any more.
    case host
    /// A worker's, in words: `4711_17 on n1`.
    case worker(String)
  }

  /// The claim that was made first; nil if there is none yet.
  package var claim: Claim? {
    guard let bytes = SharedFile.read(claimPath, limit: 1024) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text == Self.hostClaim ? .host : .worker(text)
  }

  /// Claims the attempt, so that nobody else runs it. Returns false if somebody has claimed it before.
  package func claim(as claim: Claim) throws(SystemError) -> Bool {
    var random = SystemRandomNumberGenerator()
    let own = "\(claimPath).\(random.next())"
    let words =
      switch claim {
      case .host: Self.hostClaim
      case .worker(let words): words
      }
    try SharedFile.write(Array(words.utf8), to: own)
    defer { unlink(own) }
    if link(own, claimPath) == 0 { return true }
    let number = errno
    // Over NFS, the answer may be lost although the link was made.
    var status = stat()
    if stat(own, &status) == 0, status.st_nlink == 2 { return true }
    guard number == EEXIST else { throw SystemError("link", number) }
    return false
  }

  /// Claims the attempt for the host, so that it never begins. Returns false if it has begun, or may have.
  package func giveUp() -> Bool {
    guard (try? claim(as: .host)) == true || claim == .host else { return false }
    unlink(secrets)
    return true
  }

  /// Reads and removes the order with secrets; nil if there is none, or if it cannot be removed.
  func takeSecrets() -> SecretOrder? {
    guard let bytes = SharedFile.read(secrets, limit: Self.orderLimit), unlink(secrets) == 0 else { return nil }
    return SecretOrder(bytes: bytes)
  }

  /// Tells that the attempt has begun.
  package func tellBeginning() throws(SystemError) {
    try SharedFile.write([], to: "\(Self.ends(of: run))/\(beginning)")
  }

  // MARK: The end

  /// The end of the attempt; nil if there is none that is whole and its own.
  package var record: EndRecord? {
    SharedFile.read(recordPath, limit: Self.recordLimit).flatMap { EndRecord(bytes: $0, token: token) }
  }

  private var reservePath: String { "\(path)/end.new" }

  /// Reserves the room for the end record, which must not be lost because the program has filled the disk.
  package func reserveRecord() throws(SystemError) {
    let descriptor = open(reservePath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // Another start of the job was first.
      if errno == EEXIST { return }
      throw SystemError("open", errno)
    }
    defer { close(descriptor) }
    do throws(SystemError) {
      try SystemCall.writeAll([UInt8](repeating: 0x20, count: Self.reservedSize), to: descriptor)
    } catch {
      unlink(reservePath)
      throw error
    }
  }

  /// Writes the end of the attempt, and tells about it.
  package func write(_ record: EndRecord) throws(SystemError) {
    let bytes = record.bytes(token: token)
    if access(reservePath, F_OK) == 0 {
      try SharedFile.fill(reservePath, with: bytes, renamingTo: recordPath)
    } else {
      try SharedFile.write(bytes, to: recordPath, isDurable: true)
    }
    // Without this, the end is found when Slurm reports that of the job.
    try? SharedFile.write([], to: "\(Self.ends(of: run))/\(token.text)")
  }

  /// How long ago the worker was alive; nil if it never was.
  package func silence(at now: Int64) -> Int64? {
    var status = stat()
    guard stat(beat, &status) == 0 else { return nil }
    return now - Int64(status.st_mtim.tv_sec)
  }
}
