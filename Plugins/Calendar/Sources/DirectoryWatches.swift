import CLinuxObservers
import Glibc
import LinuxObservers
import PluginKit
import Synchronization

/// Tells when something happens in the directories of files.
///
/// All share one descriptor, which stays open: the kernel takes 16 ms to close one that has watched something, longer
/// than `stop` of a plugin may take, and gives a user 128 of them.
final class DirectoryWatches: Sendable {
  static let shared = DirectoryWatches()

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

  private typealias Handler = @Sendable () -> Void

  /// Invariant: the descriptor is watched exactly while there is a handler.
  private struct State {
    var inotify: Descriptor?
    var lastID = 0
    /// By the numbers of the kernel, which gives a directory the same one each time.
    var handlers: [Int32: [Int: Handler]] = [:]
    var subscription: OperationSubscription?
  }

  private let state = Mutex(State())

  /// Calls `body` on the observers' thread after each event in the directory of the file at `path`, which may be one of
  /// the file, until the subscription ends.
  ///
  /// The directory and not the file, since most programs put a new file in the place of the old one.
  func subscribe(
    toDirectoryOf path: String, _ body: @escaping @Sendable () -> Void
  ) throws(ObserverError) -> OperationSubscription {
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let result = state.withLock { state -> Result<(watch: Int32, id: Int), ObserverError> in
      do throws(ObserverError) {
        let inotify: Descriptor
        if let open = state.inotify {
          inotify = open
        } else {
          inotify = try Descriptor(inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)), from: "inotify_init1")
          state.inotify = inotify
        }
        let watch = inotify_add_watch(inotify.number, directory, Self.events)
        guard watch >= 0 else { throw .systemCall("inotify_add_watch", errno) }
        if state.subscription == nil {
          state.subscription = try ObserverThread.shared.watch(inotify, for: EPOLLIN.rawValue) { [self] _ in
            for handler in drain(inotify) { handler() }
          }
        }
        state.lastID += 1
        state.handlers[watch, default: [:]][state.lastID] = body
        return .success((watch, state.lastID))
      } catch {
        return .failure(error)
      }
    }
    let (watch, id) = try result.get()
    return OperationSubscription { [self] in end(id, of: watch) }
  }

  private func end(_ id: Int, of watch: Int32) {
    // What a handler holds is released without the lock.
    let handler = state.withLock { state in
      let handler = state.handlers[watch]?.removeValue(forKey: id)
      if state.handlers[watch]?.isEmpty == true, let inotify = state.inotify {
        state.handlers[watch] = nil
        inotify_rm_watch(inotify.number, watch)
      }
      if state.handlers.isEmpty {
        // With the lock: whoever comes next has it watched again.
        state.subscription?.cancel()
        state.subscription = nil
      }
      return handler
    }
    withExtendedLifetime(handler) {}
  }

  /// Reads all events, and returns whom they concern. What happened is not looked at: the file's state says whether it
  /// concerns it.
  private func drain(_ inotify: Descriptor) -> [Handler] {
    var touched: Set<Int32> = []
    var gone: Set<Int32> = []
    var isEverything = false
    InotifyEvents.read(from: inotify.number) { event, _ in
      touched.insert(event.wd)
      if event.mask & UInt32(IN_IGNORED) != 0 { gone.insert(event.wd) }
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isEverything = true }
    }
    return state.withLock { state in
      let handlers = (isEverything ? Set(state.handlers.keys) : touched).flatMap { (state.handlers[$0] ?? [:]).values }
      // The directory is no more, and the kernel tells nothing further of it.
      for watch in gone where state.handlers[watch] != nil { state.handlers[watch] = [:] }
      return handlers
    }
  }
}
