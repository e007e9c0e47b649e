import CLinuxObservers
import Glibc
import PluginKit

/// Tells when something happens in the directory of a file, which may be the file.
enum CalendarFileWatch {
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

  /// Calls `body` on the observers' thread after each event, until the subscription ends.
  ///
  /// The directory and not the file, since most programs put a new file in the place of the old one.
  static func subscribe(
    _ path: String, _ body: @escaping @Sendable () -> Void
  ) throws(ObserverError) -> OperationSubscription {
    let inotify = try Descriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)), from: "inotify_init1")
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard inotify_add_watch(inotify.number, directory, events) >= 0 else {
      throw .systemCall("inotify_add_watch", errno)
    }
    return try ObserverThread.shared.watch(inotify, for: EPOLLIN.rawValue) { _ in
      drain(inotify)
      body()
    }
  }

  /// What happened is not looked at: the file's state says whether it concerns it.
  private static func drain(_ inotify: Descriptor) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(inotify.number, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
