import PluginKit
import Synchronization

/// A plugin with offers of every kind, for tests.
enum Words: Plugin {
  static let id = "words"
  static let version = "1.2.3"
  static let summary = "Counts words"
  static let author: String? = "Ann"
  static let offers: [Offer] = [
    .operation("words.count", "How many words there are", CountWords.init(settings:)),
    .operation("words.greet", "Says hello", Greeting.init(settings:)),
    .operation("words.nothing", "Has no result", Nothing()),
    .operation("words.fail", "Fails", Failing.init(settings:)),
    .operation("words.sleep", "Sleeps", Sleeping.init(settings:)),
    .operation("words.services", "Uses the host", UsingServices()),
    .controller("words.chatter", "Yields all the time", Chatter()),
    .controller("words.ticks", "Ticks", Ticks.init(settings:)),
    .controller("words.states", "Tells states when it is told to", States()),
    .controller("words.latest", "Says what became of what it told", whenFull: .replace, Latest()),
    .specification("words.flag", "Whether the flag is up", FlagSpecification()),
  ]
}

struct CountWords: RequirementOperation {
  struct Settings: PluginSettings {
    enum Case: String, CaseIterable, PluginValue { case any, lower }

    @Setting("What stands between words") var separator = " "
    @Setting("At most so many") var limit: Int?
    @Setting("Which words count") var letterCase: Case = .any
  }

  struct Count: PluginValue {
    var words: Int
    var longest: String?
  }

  let settings: Settings

  func run(
    isolation: isolated (any Actor)?, with requirement: String, in context: OperationContext,
    with continuation: OperationContinuation<Count, PluginProblem>
  ) async throws(PluginProblem) -> Count {
    guard let separator = settings.separator.first else { throw PluginProblem("no-separator", "there is no separator") }
    let words = requirement.split(separator: separator).prefix(settings.limit ?? .max)
    return Count(words: words.count, longest: words.max { $0.count < $1.count }.map { String($0) })
  }
}

struct Greeting: OperationRequest {
  struct Settings: PluginSettings {
    @Setting("Whom to greet") var name: String
    @Setting("How long to be polite") var politeness: Duration = .seconds(90)
    @Setting("Since when") var since: Timestamp?
    @Setting("How much") var size: ByteCount = 4096

    func validate() throws {
      if name.isEmpty { throw PluginProblem("no-name", "name: there must be a name") }
    }
  }

  let settings: Settings

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<String, any Error>
  ) async throws -> String {
    let since = settings.since.map { " since \($0.notation)" } ?? ""
    return "Hello \(settings.name), \(DurationNotation.format(settings.politeness)), \(settings.size)\(since)"
  }
}

struct Nothing: OperationRequest {
  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Void, Never>
  ) async {}
}

struct Failing: OperationRequest {
  enum Mistake: Error { case unheard }

  struct Settings: PluginSettings {
    @Setting("How") var how: String
  }

  let settings: Settings

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Double, any Error>
  ) async throws -> Double {
    switch settings.how {
    case "coded":
      throw PluginProblem("quota-exceeded", "no more today", retryAfter: .milliseconds(2500), detail: ["left": 0])
    case "not-a-number": return .nan
    default: throw Mistake.unheard
    }
  }
}

struct Sleeping: OperationRequest {
  struct Settings: PluginSettings {
    @Setting("How long") var time: Duration
  }

  let settings: Settings

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Timestamp, any Error>
  ) async throws -> Timestamp {
    try await context.pluginClock.sleep(until: context.pluginClock.now().advanced(by: settings.time))
    return context.pluginClock.now()
  }
}

struct UsingServices: OperationRequest {
  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<[String], any Error>
  ) async throws -> [String] {
    context.pluginProgress(0.25, "began")
    context.pluginLog.info(
      "attempt \(context.pluginInput.attempt)", ["pipeline": .string(context.pluginInput.pipeline)])
    let before = try await context.pluginStorage.value(Int.self, for: "runs")
    try await context.pluginStorage.set((before ?? 0) + 1, for: "runs")
    let secret = try await context.pluginSecret("token")
    let keys = try await context.pluginStorage.keys(beginningWith: "r")
    return ["\(before ?? 0)", secret] + keys
  }
}

struct Ticks: TaskController {
  struct Settings: PluginSettings {
    @Setting("How often") var every: Duration
    @Setting("How many") var count: Int = 2
  }

  let settings: Settings

  func run(with controls: PluginControls<Int>) async throws {
    for tick in 1...settings.count {
      try await controls.context.pluginClock.delay(for: settings.every)
      controls.yield(tick)
      controls.rerun(
        reason: "tick \(tick)", at: controls.context.pluginClock.now(), fields: ["tick": .int(Int64(tick))])
    }
  }
}

/// Yields one signal of each kind at once, and logs its end.
struct States: OperationController {
  func control(with controls: OperationControls<QueryState<String, PluginProblem>>) -> OperationSubscription {
    controls.yield("one")
    controls.yield(throwing: PluginProblem("hiccup", "once"))
    controls.yieldResetState()
    controls.rerun()
    return OperationSubscription { controls.context.pluginLog.info("ended") }
  }
}

/// Yields one signal of each kind, and logs the outcomes.
struct Latest: OperationController {
  func control(with controls: OperationControls<QueryState<Double, PluginProblem>>) -> OperationSubscription {
    let log = controls.context.pluginLog
    log.info("a state: \(controls.deliver(1))")
    log.info("a rerun: \(controls.rerun(reason: "now"))")
    log.info("a rerun with an instant: \(controls.rerun(at: Timestamp(seconds: 0)))")
    log.info("what is no state: \(controls.deliver(.nan))")
    return OperationSubscription { log.info("after the end: \(controls.rerun())") }
  }
}

/// Up, down or unknown, as set by a test; one flag for all instances.
struct FlagSpecification: OperationRunSpecification {
  static let flag = Flag()

  func isSatisfied(in context: OperationContext) -> Bool { Self.flag.value == true }
  func value(in context: OperationContext) -> Bool? { Self.flag.value }
  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    Self.flag.observe(onChange)
  }
  func description(in context: OperationContext) -> SpecificationDescription {
    SpecificationDescription(
      formula: "flag", reason: "the flag is \(Self.flag.value.map { $0 ? "up" : "down" } ?? "out of sight")",
      isSatisfied: value(in: context))
  }
}

final class Flag: Sendable {
  private let state = Mutex<(value: Bool?, observers: [Int: @Sendable () -> Void], last: Int)>((nil, [:], 0))

  var value: Bool? {
    get { state.withLock { $0.value } }
    set {
      let observers = state.withLock { state in
        state.value = newValue
        return Array(state.observers.values)
      }
      for observer in observers { observer() }
    }
  }

  var observerCount: Int { state.withLock { $0.observers.count } }

  func observe(_ observer: @escaping @Sendable () -> Void) -> OperationSubscription {
    let id = state.withLock { state in
      state.last += 1
      state.observers[state.last] = observer
      return state.last
    }
    return OperationSubscription { self.state.withLock { $0.observers[id] = nil } }
  }
}

/// Yields values without a pause until it is cancelled, and a little longer.
struct Chatter: TaskController {
  func run(with controls: PluginControls<Int>) async throws {
    var count = 0
    while !Task.isCancelled {
      count += 1
      controls.yield(count)
      await Task.yield()
    }
    for count in 0..<10 { controls.yield(count) }
  }
}
