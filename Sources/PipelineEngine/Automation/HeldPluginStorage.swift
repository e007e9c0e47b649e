import DequeModule
import PluginHost
import Synchronization
import Values

/// A controller's storage that holds back values until the runs requested before them have begun. May be used from any thread.
///
/// A controller that has requested a run remembers that. If this became durable immediately and the host ended before the run began, the run would
/// never happen. What is held back is lost with the host; the controller then requests the runs again, and instants for which a run has begun are
/// skipped.
final class HeldPluginStorage: PluginStorage {
  private struct Entry {
    var key: String
    var value: JSONValue?
    /// The latest request before it.
    var question: Int

    /// Whether it is for `key`, compared byte by byte: strings that are canonically equivalent in Unicode are different keys.
    func isFor(_ key: String) -> Bool { self.key.utf8.elementsEqual(key.utf8) }
  }

  private struct State {
    /// The requested runs that have not begun, oldest first.
    var questions: Deque<Int> = []
    var lastQuestion = 0
    var held: Deque<Entry> = []
    var isWriting = false
    /// The callers that wait until fewer runs than their limit have not begun.
    var waiting: [Int: (limit: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    var lastWaiting = 0
  }

  /// Nil if nothing can be stored.
  private let base: (any PluginStorage)?
  private let onLoss: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Holds back what `base` is to store. `onLoss` is called with a key that could not be written when it was due.
  init(_ base: (any PluginStorage)?, onLoss: @escaping @Sendable (_ key: String) -> Void) {
    self.base = base
    self.onLoss = onLoss
  }

  /// Notes that the controller requests a run.
  ///
  /// - Parameter limit: The maximum number of requested runs that have not begun.
  /// - Returns: The number of the request for ``settle(_:)``; nil if there are too many.
  func ask(atMost limit: Int = .max) -> Int? {
    state.withLock { state in
      guard state.questions.count < limit else { return nil }
      state.lastQuestion += 1
      state.questions.append(state.lastQuestion)
      return state.lastQuestion
    }
  }

  /// Notes that a requested run has begun, or is no longer needed.
  func forget(_ question: Int) {
    let free = state.withLock { state in
      if let index = state.questions.firstIndex(of: question) { state.questions.remove(at: index) }
      let free = state.waiting.filter { state.questions.count < $0.value.limit }
      for id in free.keys { state.waiting[id] = nil }
      return free
    }
    for waiting in free.values { waiting.continuation.resume() }
  }

  /// Waits until fewer than `limit` requested runs have not begun, or the task is cancelled.
  func room(below limit: Int) async {
    let id = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          // An earlier cancellation is detected here; a later one finds the waiting entry.
          if state.questions.count < limit || Task.isCancelled { return true }
          state.waiting[id] = (limit, continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
    }
  }

  /// Notes that a requested run has begun or is no longer needed, and writes what was held back for it.
  func settle(_ question: Int) async {
    forget(question)
    await write()
  }

  /// Writes what no longer needs to be held back.
  func write() async {
    let isMine = state.withLock { state in
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard isMine else { return }
    while let entry = next() {
      do throws(PluginAccessError) {
        try await write(entry.value, for: entry.key)
      } catch {
        onLoss(entry.key)
      }
      // Until now it was found among the held values.
      state.withLock { state in _ = state.held.removeFirst() }
    }
  }

  /// Returns the next entry to write, which stays in place; of several for the same key, only the last one is written.
  private func next() -> Entry? {
    state.withLock { state in
      while let first = state.held.first, first.question < state.questions.first ?? .max {
        let isOld = state.held.dropFirst().contains {
          $0.isFor(first.key) && $0.question < state.questions.first ?? .max
        }
        guard isOld else { return first }
        state.held.removeFirst()
      }
      state.isWriting = false
      return nil
    }
  }

  // MARK: PluginStorage

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    guard let held = state.withLock({ $0.held.last { $0.isFor(key) } }) else {
      guard let base else { throw .unavailable }
      return try await base.value(of: key)
    }
    guard let value = held.value else { throw .unknown }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    guard base != nil else { throw .unavailable }
    let isHeld = state.withLock { state in
      guard !state.questions.isEmpty || !state.held.isEmpty else { return false }
      state.held.append(Entry(key: key, value: value, question: state.questions.last ?? 0))
      return true
    }
    guard isHeld else { return try await write(value, for: key) }
    await write()
  }

  private func write(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    guard let base else { throw .unavailable }
    try await base.set(value, for: key)
  }

  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
    guard let base else { throw .unavailable }
    var keys = Set(try await base.keys(beginningWith: prefix).map { Array($0.utf8) })
    for entry in state.withLock({ $0.held }) where entry.key.utf8.starts(with: prefix.utf8) {
      if entry.value == nil { keys.remove(Array(entry.key.utf8)) } else { keys.insert(Array(entry.key.utf8)) }
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
