import RunHistory
import Workspace

/// Notifies observers on the event loop when something in the workspace may have changed that runs of the host wait for, whichever process changed it.
///
/// However many wait for the same subject, the workspace is queried once after each change.
final class WorkspaceWatch: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// What an observer waits for.
  enum Subject: Hashable {
    /// Requests to runs, and answers to approvals.
    case requests
    /// A lease that another process holds.
    case lease(String)
    /// The held amounts of the resources that all processes on the workspace share.
    case resources
    /// The ends of the runs of a pipeline.
    case ends(ofRunsOf: String)
  }

  private struct Followed {
    var subscriptions: [Subscription] = []
    var observers: [Int: () -> Void] = [:]
  }

  private let loop: EventLoop
  private let history: History
  private var followed: [Subject: Followed] = [:]
  private var subjects: [Int: Subject] = [:]
  private var nextObserver = 0

  init(loop: EventLoop, history: History) {
    self.loop = loop
    self.history = history
  }

  /// The number of observers.
  var observerCount: Int { subjects.count }

  /// Calls `body` after every change, and possibly without one, until `remove`. The caller has to check the earlier state itself. *On the event loop.*
  func add(_ subject: Subject, _ body: @escaping () -> Void) -> Int {
    nextObserver += 1
    subjects[nextObserver] = subject
    let isNew = followed[subject] == nil
    followed[subject, default: Followed()].observers[nextObserver] = body
    // If the workspace cannot be read, nothing is reported, and the waiting code fails with its next query.
    if isNew { followed[subject]?.subscriptions = (try? subscriptions(to: subject)) ?? [] }
    return nextObserver
  }

  /// Ends the calls to one observer. *On the event loop.*
  func remove(_ observer: Int) {
    guard let subject = subjects.removeValue(forKey: observer) else { return }
    // What they hold is released afterwards, because its deinitializer may remove others.
    let removed = followed[subject]?.observers.removeValue(forKey: observer)
    let ended = followed[subject]?.observers.isEmpty == true ? followed.removeValue(forKey: subject) : nil
    withExtendedLifetime((removed, ended)) {}
  }

  private func subscriptions(to subject: Subject) throws -> [Subscription] {
    let tell: @Sendable () -> Void = { [weak self, loop] in loop.execute { [weak self] in self?.tell(subject) } }
    return switch subject {
    case .requests: try history.followRequests(tell)
    case .lease(let name): [try history.followLease(name, tell)]
    case .resources: [try history.followResourceHolds(tell)]
    case .ends(let pipeline): [try history.followEnds(ofRunsOf: pipeline, tell)]
    }
  }

  private func tell(_ subject: Subject) {
    for observer in (followed[subject]?.observers ?? [:]).sorted(by: { $0.key < $1.key }) {
      // A called observer may remove another one.
      if subjects[observer.key] != nil { observer.value() }
    }
  }
}
