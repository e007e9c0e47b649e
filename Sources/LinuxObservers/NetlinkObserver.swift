import CLinuxObservers
import Operations
import Synchronization

/// Observes how well this computer is connected, as its kernel reports: links, addresses and default routes.
///
/// No packet is ever sent, and nothing is polled: a netlink socket wakes the process when a link, an address or a route changes, and only while
/// there are subscribers.
///
/// | status | meaning |
/// |---|---|
/// | `disconnected` | no link except the loopback is up and running |
/// | `requiresConnection` | there is such a link, but no default route through one, or no address for it |
/// | `connected` | a default route uses such a link, and the computer has an address of its family |
///
/// The status does not say whether any host responds: see ``ReachabilityObserver``.
///
/// Handlers are called on the single thread that all observers of the process share, and must return quickly.
public final class NetlinkObserver: NetworkObserver {
  /// The shared observer.
  public static let shared = NetlinkObserver()

  private static let keptRunning = Mutex<OperationSubscription?>(nil)

  /// Returns the shared observer, which from now on runs until the process ends, even without subscribers.
  public static func startingShared() -> NetlinkObserver {
    let isKept = keptRunning.withLock { $0 != nil }
    if !isKept {
      let subscription = shared.subscribe { _ in }
      keptRunning.withLock { kept in
        if kept == nil { kept = subscription }
      }
    }
    return shared
  }

  /// The sockets and tables that exist while there are subscribers.
  private final class Session: Sendable {
    let changes: NetlinkSocket
    let questions: NetlinkSocket
    let tables: Mutex<NetworkTables>
    let watch = Mutex<OperationSubscription?>(nil)

    init() throws(ObserverError) {
      // The socket for changes is opened before the tables are read, so that a change in between is seen twice rather than missed.
      changes = try NetlinkSocket(groups: NetlinkSocket.changes)
      questions = try NetlinkSocket(groups: 0)
      tables = Mutex(try questions.readTables())
    }
  }

  /// Invariant: there is a session exactly while there are subscribers, unless it could not be started.
  private struct State {
    var subscriberCount = 0
    var session: Session?
    var history = NetworkStatusHistory(.disconnected)
    var failure: ObserverError?
  }

  private let state = Mutex(State())
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let clock: any OperationClock

  /// Creates an observer that does nothing until it is subscribed to or read.
  ///
  /// It observes the network namespace of the thread that makes the first subscription.
  ///
  /// - Parameter clock: The clock that timestamps changes of the status.
  public init(clock: any OperationClock = .system) {
    self.clock = clock
  }

  /// The latest status that the kernel reported. Without subscribers, each access queries the kernel, which takes some tens of microseconds.
  ///
  /// `.connected` if the kernel does not answer (see ``failure``): an operation that fails reports the reason, but one that waits forever does not.
  public var currentStatus: NetworkConnectionStatus {
    let known: NetworkConnectionStatus? = state.withLock { $0.session == nil ? nil : $0.history.status }
    if let known { return known }
    do throws(ObserverError) {
      return try NetlinkSocket(groups: 0).readTables().status
    } catch {
      state.withLock { $0.failure = error }
      return .connected
    }
  }

  /// The reason that the network cannot be observed; nil if it can, or if nothing has tried yet.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` after each change of the status, on the observers' thread.
  public func subscribe(
    with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void
  ) -> OperationSubscription {
    let subscription = handlers.subscribe(handler)
    begin()
    return OperationSubscription { [self] in
      subscription.cancel()
      end()
    }
  }

  /// Returns when the status last crossed `threshold`; nil if that was before the first subscription.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? {
    state.withLock { $0.session == nil ? nil : $0.history.changedAt(crossing: threshold) }
  }

  private func begin() {
    state.withLock { state in
      state.subscriberCount += 1
      guard state.session == nil else { return }
      do throws(ObserverError) {
        let session = try Session()
        let watch = try ObserverThread.shared.watch(session.changes.descriptor, for: EPOLLIN.rawValue) {
          [weak self, weak session] _ in
          guard let self, let session else { return }
          refresh(session)
        }
        session.watch.withLock { $0 = watch }
        state.history = NetworkStatusHistory(session.tables.withLock { $0.status })
        state.session = session
        state.failure = nil
      } catch {
        state.failure = error
      }
    }
  }

  private func end() {
    let session: Session? = state.withLock { state in
      state.subscriberCount -= 1
      guard state.subscriberCount == 0 else { return nil }
      defer { state.session = nil }
      return state.session
    }
    let watch = session?.watch.withLock { $0 }
    watch?.cancel()
  }

  /// Processes the kernel's notifications. Runs on the observers' thread.
  private func refresh(_ session: Session) {
    let tables = session.tables.withLock { $0 }
    var isAffected = false
    let isComplete = session.changes.drain { message in
      isAffected = isAffected || tables.isAffected(by: message)
    }
    guard isAffected || !isComplete else { return }
    // The kernel does not report every route that disappears with its link, so any relevant change rereads the tables.
    let news: NetworkTables
    do throws(ObserverError) {
      news = try session.questions.readTables()
    } catch {
      return state.withLock { $0.failure = error }
    }
    session.tables.withLock { $0 = news }
    let (status, now) = (news.status, clock.now())
    let isChange = state.withLock { state in
      guard state.session === session else { return false }
      state.failure = nil
      return state.history.take(status, at: now)
    }
    if isChange { handlers.notify(status) }
  }
}
