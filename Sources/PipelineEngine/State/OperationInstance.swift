import Operations
import PipelineLanguage
import RunHistory
import Values

/// One thing with a state of its own in a run: an operation, a handler, or one item of a loop. It has a failure only if it failed, was cancelled or waits to be
/// tried again, and a result only if it came to one.
struct OperationInstance {
  let node: OperationNode
  /// The name that is shown: `archive`, or `archive[3]` for an item.
  let name: String
  /// What it is of a loop; nil where it is no item.
  var loopItem: LoopItem?

  /// Changed by ``move(to:because:)`` alone, which asks the table of transitions.
  private(set) var state: RunHistory.OperationState = .pending
  /// Why it is in its state.
  private(set) var reason: OperationReason?
  var failure: OperationFailure?
  var result: OperationResult = .none
  var recordedResult: RecordedResult = .none
  /// What was kept of its files by the latest attempt that succeeded.
  var artifacts: [KeptArtifact] = []
  /// The number of the latest attempt, over all hosts of the run.
  var attempts = 0
  var attempt: AttemptRecord?
  /// Whether the history may name the log files of the attempt that goes on.
  var areLogsNamed = false
  var timing = InstanceTiming()
  /// What opened its gate, and since when it had waited for that.
  var opened: OpenedGate?
  var reuse = Reuse()
  var turn = Turn()

  /// One item of a loop: which loop, which place in it, its value, and the label that the loop gives it.
  struct LoopItem {
    let parent: Int
    let index: Int
    var value: JSONValue
    var label: String?
  }

  /// What a later run may take over, and what this one took.
  struct Reuse {
    var fingerprint: String?
    var source: RunID?
  }

  /// What it holds of what an attempt needs.
  struct Turn {
    /// Whether the slot for the first attempt is already taken.
    var hasSlot = false
    /// Whether it is being made ready ahead of its slot.
    var isEarly = false
    /// Whether its attempt's slot was given back when its process ended.
    var hasReleased = false
    /// Whether it was handed to a task of its own, which will end it.
    var hasBegun = false
  }

  /// The loop that it is an item of.
  var parent: Int? { loopItem?.parent }
  /// The value of the item.
  var item: JSONValue? { loopItem?.value }
  /// The name with what an item is called behind its number: `convert[136] orders-0137.csv`.
  var title: String {
    TerminalText.name(name, label: loopItem.flatMap { $0.label ?? ItemLabel.text(of: $0.value) })
  }

  init(node: OperationNode, name: String, loopItem: LoopItem? = nil) {
    self.node = node
    self.name = name
    self.loopItem = loopItem
  }

  /// Moves to another state. False where the table of transitions, ``RunHistory/OperationState/mayBecome(_:)``, does not have that: then nothing changes.
  mutating func move(to next: RunHistory.OperationState, because reason: OperationReason?) -> Bool {
    guard state.mayBecome(next) else { return false }
    state = next
    self.reason = reason
    return true
  }

  /// Is in a state that a former host has recorded.
  mutating func restore(_ recorded: RunHistory.OperationState, because reason: OperationReason?) {
    state = recorded
    self.reason = reason
  }

  /// Has more to say of why it is in its state, where it stays.
  mutating func explain(_ reason: OperationReason) { self.reason = reason }

  /// What dependents see.
  var outcome: DependencyOutcomeKind {
    switch state {
    case .succeeded, .reused: result.isPresent ? .succeeded : .succeededWithoutResult
    case .failed: node.definition.allowFailure ? .failedAllowed : .failed
    case .skipped: .skipped
    case .cancelled, .pending, .waiting, .running, .retrying: .cancelled
    }
  }
}
