import Glibc
import OperatingSystem

/// The lock on `workspace.hosts` that a process holds while it may write to the workspace.
///
/// The kernel releases it when the process ends, however it ends, and shows it to every process that can open the file. It therefore reveals processes in
/// other pid namespaces, such as in another container, which `/proc` does not show. Each process locks one byte, whose offset is derived from its
/// ``ProcessIdentity``. The lock belongs to the open file (`F_OFD_SETLK`), so closing other descriptors of the file does not release it.
final class HostLock: Sendable {
  private static let name = "workspace.hosts"
  private let descriptor: Int32

  /// Opens the file, creating it for its owner alone, and locks the byte of this process.
  init(directory: String) throws(WorkspaceError) {
    descriptor = try OwnFile.open(Self.name, in: directory, O_RDWR | O_CREAT)
    // Shared, because several workspace objects of one process may hold it.
    var request = Self.request(F_RDLCK, ProcessIdentity.current)
    guard fcntl(descriptor, Self.setLock, &request) == 0 else {
      let code = errno
      close(descriptor)
      throw .io(path: "\(directory)/\(Self.name)", code: Int(code), message: SystemError.textWithAdvice(of: code))
    }
  }

  deinit { close(descriptor) }

  // MARK: Queries

  /// Returns whether the process holds its lock in the workspace in a directory; nil if that cannot be determined.
  static func isHeld(by process: ProcessIdentity, in directory: String) -> Bool? {
    guard let descriptor = try? OwnFile.open(name, in: directory, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    var request = request(F_WRLCK, process)
    guard fcntl(descriptor, getLock, &request) == 0 else { return nil }
    return request.l_type != Int16(F_UNLCK)
  }

  // MARK: The byte

  /// `F_OFD_GETLK` and `F_OFD_SETLK`, which glibc declares only with `_GNU_SOURCE`.
  private static let (getLock, setLock): (Int32, Int32) = (36, 37)

  private static func request(_ kind: Int32, _ process: ProcessIdentity) -> Glibc.flock {
    var request = Glibc.flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = Int(place(of: process))
    request.l_len = 1
    return request
  }

  /// Returns the offset of a process's byte: FNV-1a over its identity, in 62 bits, so that the end of the range is also a valid offset.
  static func place(of process: ProcessIdentity) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(process.boot) \(process.pid) \(process.started)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return Int64(hash >> 2)
  }
}
