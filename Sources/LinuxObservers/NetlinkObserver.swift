import CLinuxObservers
import Operations
import Synchronization

/// How well this machine is connected, as its kernel tells: links, addresses and default routes.
///
/// No packet is ever sent, and nothing is polled: a netlink socket wakes the process when a link, an address or a route
/// changes, and only while somebody subscribes.
///
/// | status | means |
/// |---|---|
/// | `disconnected` | no link but the loopback is up with something at its other end |
/// | `requiresConnection` | there is such a link, but no default route over one, or no address for it |
/// | `connected` | a default route leads over such a link, and the machine has an address of its family |
///
/// That says nothing of whether anything answers: see ``ReachabilityObserver``.
///
/// Handlers are called on the one thread that all observers of the process share, and must not keep it long.
public final class NetlinkObserver: NetworkObserver {
  /// The observer that everybody can share.
  public static let shared = NetlinkObserver()

  private static let keptRunning = Mutex<OperationSubscription?>(nil)

  /// The shared observer, which from now on runs until the process ends, whether or not anybody subscribes.
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

  /// What is there while somebody subscribes.
  private final class Session: Sendable {
    let changes: NetlinkSocket
    let questions: NetlinkSocket
    let tables: Mutex<NetworkTables>
    let watch = Mutex<OperationSubscription?>(nil)

    init() throws(ObserverError) {
      // First the socket for changes, then the tables: what changes in between is seen twice, and not missed.
      changes = try NetlinkSocket(groups: NetlinkSocket.changes)
      questions = try NetlinkSocket(groups: 0)
      tables = Mutex(try questions.readTables())
    }
  }

  /// Invariant: there is a session exactly while there are subscribers, unless it could not be begun.
  private struct State {
    var subscriberCount = 0
    var session: Session?
    var history = NetworkStatusHistory(.disconnected)
    var failure: ObserverError?
  }

  private let state = Mutex(State())
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let clock: any OperationClock

  /// An observer that does nothing until somebody subscribes or asks.
  ///
  /// It observes the network namespace of the thread on which the first subscription is made.
  ///
  /// - Parameter clock: Stamps the changes of the status.
  public init(clock: any OperationClock = .system) {
    self.clock = clock
  }

  /// The status as it was last told by the kernel; where nobody subscribes, the kernel is asked, which takes some tens of
  /// microseconds.
  ///
  /// `.connected` where the kernel does not answer, see ``failure``: an operation that runs in vain says why, one that
  /// waits for ever does not.
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

  /// Why the network cannot be observed; nil where it can, or where nobody has tried.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` after each change of the status, on the thread of the observers.
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

  /// When the status last crossed `threshold`; nil where that was before the first subscription.
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

  /// Takes over what the kernel has told. On the thread of the observers.
  private func refresh(_ session: Session) {
    let tables = session.tables.withLock { $0 }
    var isAffected = false
    let isComplete = session.changes.drain { message in
      isAffected = isAffected || tables.isAffected(by: message)
    }
    guard isAffected || !isComplete else { return }
    // The kernel does not tell of every route that goes with its link, so that the tables are read again, whatever changed.
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
