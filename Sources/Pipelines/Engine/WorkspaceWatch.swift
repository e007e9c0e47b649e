import CProcess
import Glibc

/// Tells when another process has left something in the workspace: a cancellation, an approval, a lease given back.
///
/// One inotify watch on the workspace's notification file, on the event loop; nothing polls.
final class WorkspaceWatch: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  private let loop: EventLoop
  private let path: String
  private var descriptor: Int32 = -1
  private var token: EventLoop.Token?
  private var observers: [Int: () -> Void] = [:]
  private var nextObserver = 0

  init(loop: EventLoop, path: String) {
    self.loop = loop
    self.path = path
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Calls `body` after every notification, until `remove`. *On the loop.*
  func add(_ body: @escaping () -> Void) -> Int {
    begin()
    nextObserver += 1
    observers[nextObserver] = body
    return nextObserver
  }

  /// Ends the calls to one observer. *On the loop.*
  ///
  /// The watch itself stays: ending one makes the kernel wait for all its processors, some 16 ms.
  func remove(_ observer: Int) {
    observers[observer] = nil
  }

  private func begin() {
    guard token == nil else { return }
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return }
    // The file may not exist before the first notification; its directory tells of its creation too.
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let name = String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
    let events = UInt32(IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_TO)
    let target = access(path, F_OK) == 0 ? path : directory
    guard inotify_add_watch(descriptor, target, events) >= 0 else { return }
    token = try? loop.watch(descriptor) { [unowned self] in drain(directoryEntry: target == directory ? name : nil) }
  }

  private func drain(directoryEntry: String?) {
    var isConcerned = false
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { break }
        guard let directoryEntry else {
          isConcerned = true
          continue
        }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count, let base = buffer.baseAddress {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let name = (base + offset + MemoryLayout<inotify_event>.size).assumingMemoryBound(to: CChar.self)
          if event.len > 0, String(cString: name) == directoryEntry { isConcerned = true }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    guard isConcerned else { return }
    for observer in observers.values { observer() }
  }
}
