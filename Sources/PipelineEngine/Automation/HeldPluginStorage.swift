import DequeModule
import PluginHost
import Synchronization
import Values

/// What a controller remembers, held back until the runs that it asked for before have begun. Any thread.
///
/// A controller that has asked for a run remembers that it has. Were that durable at once, a host that ends before the run
/// begins would never run it. What is held back is lost with the host; then the controller asks again, and the instants
/// for which a run has begun are passed over.
final class HeldPluginStorage: PluginStorage {
  private struct Entry {
    var key: String
    var value: JSONValue?
    /// The latest question before it.
    var question: Int

    /// Whether it is for `key`, byte by byte: texts that Unicode takes for the same are different keys.
    func isFor(_ key: String) -> Bool { self.key.utf8.elementsEqual(key.utf8) }
  }

  private struct State {
    /// The runs that were asked for and have not begun, oldest first.
    var questions: Deque<Int> = []
    var lastQuestion = 0
    var held: Deque<Entry> = []
    var isWriting = false
    /// Who waits until fewer than so many runs have not begun.
    var waiting: [Int: (limit: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    var lastWaiting = 0
  }

  /// Nil where nothing can be remembered.
  private let base: (any PluginStorage)?
  private let onLoss: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Holds back what `base` is to keep. `onLoss` is told of a key that could not be written when its time had come.
  init(_ base: (any PluginStorage)?, onLoss: @escaping @Sendable (_ key: String) -> Void) {
    self.base = base
    self.onLoss = onLoss
  }

  /// The controller asks for a run.
  ///
  /// - Parameter limit: How many runs may be asked for that have not begun.
  /// - Returns: What the run is called by in ``settle(_:)``; nil where there are too many.
  func ask(atMost limit: Int = .max) -> Int? {
    state.withLock { state in
      guard state.questions.count < limit else { return nil }
      state.lastQuestion += 1
      state.questions.append(state.lastQuestion)
      return state.lastQuestion
    }
  }

  /// A run that was asked for has begun, or is no longer wanted.
  func forget(_ question: Int) {
    let free = state.withLock { state in
      if let index = state.questions.firstIndex(of: question) { state.questions.remove(at: index) }
      let free = state.waiting.filter { state.questions.count < $0.value.limit }
      for id in free.keys { state.waiting[id] = nil }
      return free
    }
    for waiting in free.values { waiting.continuation.resume() }
  }

  /// Returns when fewer than `limit` runs that were asked for have not begun, or the task is cancelled.
  func room(below limit: Int) async {
    let id = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          // A cancellation before this is seen here, a later one finds who waits.
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

  /// The same, and writes what was held back for it.
  func settle(_ question: Int) async {
    forget(question)
    await write()
  }

  /// Writes what need not be held back any more.
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
      // Until here it was found in what is held.
      state.withLock { state in _ = state.held.removeFirst() }
    }
  }

  /// The next entry to write; the last one of several for the same key stands for all. It stays where it is.
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
