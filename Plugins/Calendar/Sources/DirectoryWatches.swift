import CLinuxObservers
import Glibc
import LinuxObservers
import PluginKit
import Synchronization

/// Notifies of events in the directories of files.
///
/// All watches share one descriptor, which stays open: the kernel takes 16 ms to close one that has watched something, which is longer than a
/// plugin's `stop` may take, and allows a user 128 of them.
final class DirectoryWatches: Sendable {
  static let shared = DirectoryWatches()

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

  private typealias Handler = @Sendable () -> Void

  /// Invariant: the descriptor is watched exactly while there is a handler.
  private struct State {
    var inotify: Descriptor?
    var lastID = 0
    /// Handlers by the kernel's watch number, which is always the same for a directory.
    var handlers: [Int32: [Int: Handler]] = [:]
    var subscription: OperationSubscription?
  }

  private let state = Mutex(State())

  /// Calls `body` on the observers' thread after each event in the directory of the file at `path`, which may concern the file, until the subscription ends.
  ///
  /// It watches the directory rather than the file, because most programs replace the old file with a new one.
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
    // Release what a handler holds after unlocking.
    let handler = state.withLock { state in
      let handler = state.handlers[watch]?.removeValue(forKey: id)
      if state.handlers[watch]?.isEmpty == true, let inotify = state.inotify {
        state.handlers[watch] = nil
        inotify_rm_watch(inotify.number, watch)
      }
      if state.handlers.isEmpty {
        // With the lock held: the next subscriber starts watching again.
        state.subscription?.cancel()
        state.subscription = nil
      }
      return handler
    }
    withExtendedLifetime(handler) {}
  }

  /// Reads all events, and returns the handlers concerned. The events themselves are ignored: the file's state shows whether it changed.
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
      // The directory no longer exists, and the kernel reports nothing further about it.
      for watch in gone where state.handlers[watch] != nil { state.handlers[watch] = [:] }
      return handlers
    }
  }
}
