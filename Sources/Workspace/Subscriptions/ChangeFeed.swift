import Dispatch
import SQLite
import Synchronization

/// Delivers committed changes to the subscribers, and then calls the completion handlers.
///
/// The writer adds the changes of a transaction and continues. A serial queue takes everything added meanwhile, finds the subscribers concerned, reads
/// what must be read in one snapshot, and calls each handler at most once with the last state, then the completions. A slow handler therefore delays other
/// handlers but never a change, and misses no last state.
final class ChangeFeed: Sendable {
  private struct Commit {
    let number: UInt64
    let record: CommitRecord?
    let completion: (@Sendable () -> Void)?
  }

  private struct State {
    var additions: [any Subscriber] = []
    var removals: [UInt64] = []
    var commits: [Commit] = []
    /// The number of subscribers of each type, now or until the next delivery.
    var watched: [ObjectIdentifier: Int] = [:]
    /// Types with a subscription to a result since they last had no subscriber.
    var withResults: Set<ObjectIdentifier> = []
    var isScheduled = false
    var isEnded = false
    var lastMark: UInt64 = 0
    /// The number of the last commit that a reader may have seen, and of the last one that it must see.
    var begun: UInt64 = 0
    var done: UInt64 = 0

    /// Returns whether the caller must begin a delivery, after releasing the lock.
    mutating func schedule() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "workspace.delivery")
  private let delivery: Delivery
  /// Called once, when the first subscriber is added.
  private let whenWatched: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  init(readers: ReaderPool) {
    delivery = Delivery(readers: readers)
  }

  func whenFirstWatched(_ body: @escaping @Sendable () -> Void) {
    whenWatched.withLock { $0 = body }
  }

  // MARK: Subscribers

  /// Creates a subscriber with its own number, and lets it check the current state soon.
  func add(_ make: (SubscriberMark, _ since: UInt64) -> any Subscriber) -> Subscription {
    let (subscriber, isEnded, begins) = state.withLock { state -> (any Subscriber, Bool, Bool) in
      state.lastMark += 1
      let subscriber = make(SubscriberMark(number: state.lastMark), state.done)
      if state.isEnded { return (subscriber, true, false) }
      state.additions.append(subscriber)
      state.watched[subscriber.type, default: 0] += 1
      if subscriber.key == nil && subscriber.needsRows { state.withResults.insert(subscriber.type) }
      return (subscriber, false, state.schedule())
    }
    if begins { beginDelivery() }
    if isEnded {
      queue.async { subscriber.end() }
    } else {
      let first = whenWatched.withLock { body in
        defer { body = nil }
        return body
      }
      first?()
    }
    return Subscription(subscriber, feed: self)
  }

  func remove(_ number: UInt64) {
    let begins = state.withLock { state in
      state.removals.append(number)
      return state.schedule()
    }
    if begins { beginDelivery() }
  }

  // MARK: The writer

  /// Whether a delivery is in progress, for which the completion of a transaction must wait.
  var isDelivering: Bool { state.withLock { $0.isScheduled } }

  /// Whether there is a subscriber.
  var isWatched: Bool { state.withLock { !$0.watched.isEmpty } }

  /// The types that have subscribers, and whether one of those subscribes to a result.
  var watchedTypes: [ObjectIdentifier: Bool] {
    state.withLock { state in
      if state.watched.isEmpty { return [:] }
      return Dictionary(uniqueKeysWithValues: state.watched.keys.map { ($0, state.withResults.contains($0)) })
    }
  }

  /// Returns the number of a commit that is about to happen.
  func beginCommit() -> UInt64 {
    state.withLock { state in
      state.begun += 1
      return state.begun
    }
  }

  /// Adds a commit, before the next one can happen. Returns whether there is nothing to deliver.
  func commit(_ record: CommitRecord, number: UInt64) -> Bool {
    commit(record, number, completion: nil)
  }

  /// Adds a commit as above. `completion` is called after the subscribers, or immediately if there are none.
  func commit(_ record: CommitRecord, number: UInt64, completion: @escaping @Sendable () -> Void) {
    if commit(record, number, completion: completion) { completion() }
  }

  private func commit(_ record: CommitRecord, _ number: UInt64, completion: (@Sendable () -> Void)?) -> Bool {
    let (isAlone, begins) = state.withLock { state in
      state.done = number
      if state.watched.isEmpty && !state.isScheduled { return (true, false) }
      state.commits.append(Commit(number: number, record: record, completion: completion))
      return (false, state.schedule())
    }
    if begins { beginDelivery() }
    return isAlone
  }

  /// Adds changes that were not made by a transaction of this feed's workspace.
  func publish(_ record: CommitRecord) {
    let begins = state.withLock { state in
      if state.watched.isEmpty { return false }
      state.commits.append(Commit(number: 0, record: record, completion: nil))
      return state.schedule()
    }
    if begins { beginDelivery() }
  }

  /// Calls `body` after everything added before was delivered.
  func whenDelivered(_ body: @escaping @Sendable () -> Void) {
    let isAlone = state.withLock { state -> Bool in
      if !state.isScheduled { return true }
      state.commits.append(Commit(number: 0, record: nil, completion: body))
      return false
    }
    if isAlone { body() }
  }

  /// Delivers what there is, ends all subscriptions and calls `body`. Later subscriptions end immediately.
  func end(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.isEnded = true }
    queue.async { [self] in
      deliver()
      delivery.endAll()
      state.withLock { $0.watched = [:] }
      body()
    }
  }

  // MARK: Delivery

  /// Called without the lock, which the woken thread needs immediately.
  private func beginDelivery() { queue.async { [self] in deliver() } }

  private func deliver() {
    while true {
      let (additions, removals, commits) = state.withLock { state in
        defer {
          state.additions = []
          state.removals = []
          state.commits = []
        }
        state.isScheduled = !(state.additions.isEmpty && state.removals.isEmpty && state.commits.isEmpty)
        return (state.additions, state.removals, state.commits)
      }
      if additions.isEmpty && removals.isEmpty && commits.isEmpty { return }
      for subscriber in additions { delivery.add(subscriber) }
      for commit in commits {
        if let record = commit.record { delivery.note(record, number: commit.number) }
      }
      let gone = delivery.remove(removals)
      delivery.read(
        done: { self.state.withLock { $0.done } }, begun: { self.state.withLock { $0.begun } })
      let ended = delivery.call()
      state.withLock { state in
        for type in gone + ended {
          let left = (state.watched[type] ?? 0) - 1
          state.watched[type] = left > 0 ? left : nil
          if left <= 0 { state.withResults.remove(type) }
        }
      }
      for commit in commits { commit.completion?() }
    }
  }
}
