import Glibc
import PluginKit
import Schedules
import Synchronization

/// A calendar file with its most recently read content.
final class CalendarFile: Sendable {
  /// The state of the file.
  enum Content: Sendable {
    case unread
    case calendar(ICalendar)
    /// What is wrong with it, on one line.
    case failure(String)
  }

  /// The identity of one version of the file.
  private struct Stamp: Equatable {
    var device: UInt
    var inode: UInt
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private struct State {
    var content = Content.unread
    var stamp: Stamp?
  }

  /// The number of bytes that are read: one more than a calendar may have.
  private static let limit = (4 << 20) + 1

  private let state = Mutex(State())

  var content: Content { state.withLock { $0.content } }

  /// Reads the file at `path` if it has changed. Returns whether the content changed.
  func readIfChanged(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return set(.failure("'\(path)' cannot be read: \(Self.reason())"), nil) }
    defer { close(descriptor) }
    guard let stamp = Self.stamp(of: descriptor) else {
      return set(.failure("'\(path)' is not a file"), nil)
    }
    guard state.withLock({ $0.stamp != stamp }) else { return false }
    guard let bytes = Self.bytes(of: descriptor, length: min(stamp.size, Self.limit)) else {
      return set(.failure("'\(path)' cannot be read: \(Self.reason())"), nil)
    }
    do throws(ICalendarError) {
      return set(.calendar(try ICalendar(bytes, zones: .system)), stamp)
    } catch {
      return set(.failure("'\(path)', \(error.description)"), stamp)
    }
  }

  /// Returns whether the content changed: a repeated failure does not count.
  private func set(_ content: Content, _ stamp: Stamp?) -> Bool {
    state.withLock { state in
      if case .failure(let new) = content, case .failure(let old) = state.content, new == old {
        state.stamp = stamp
        return false
      }
      state = State(content: content, stamp: stamp)
      return true
    }
  }

  private static func stamp(of descriptor: Int32) -> Stamp? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else { return nil }
    return Stamp(
      device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  private static func bytes(of descriptor: Int32, length: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: length)
    var count = 0
    while count < length {
      let got = bytes.withUnsafeMutableBytes { raw in
        read(descriptor, raw.baseAddress.map { $0 + count }, length - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return nil }
      guard got > 0 else { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  private static func reason() -> String {
    String(cString: strerror(errno))
  }
}
