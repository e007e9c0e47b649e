import RunHistory
import Workspace

/// Tells on the loop when something in the workspace may have changed that runs of the host wait for, whichever process has changed it.
///
/// However many wait for the same, the workspace is asked once after each change.
final class WorkspaceWatch: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  /// What somebody waits for.
  enum Subject: Hashable {
    /// What is asked of runs, and answers to questions.
    case requests
    /// A lease that another process holds.
    case lease(String)
    /// What is held of the resources that all processes on the workspace share.
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

  /// How many are told of changes.
  var observerCount: Int { subjects.count }

  /// Calls `body` after every change, and perhaps without one, until `remove`. What was there before is the caller's to look at. *On the loop.*
  func add(_ subject: Subject, _ body: @escaping () -> Void) -> Int {
    nextObserver += 1
    subjects[nextObserver] = subject
    let isNew = followed[subject] == nil
    followed[subject, default: Followed()].observers[nextObserver] = body
    // Of a workspace that cannot be read nothing is heard, and whoever waits fails with its next question.
    if isNew { followed[subject]?.subscriptions = (try? subscriptions(to: subject)) ?? [] }
    return nextObserver
  }

  /// Ends the calls to one observer. *On the loop.*
  func remove(_ observer: Int) {
    guard let subject = subjects.removeValue(forKey: observer) else { return }
    // What they hold is let go afterwards: its end may remove others.
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
      // One that is called may take another one away.
      if subjects[observer.key] != nil { observer.value() }
    }
  }
}
