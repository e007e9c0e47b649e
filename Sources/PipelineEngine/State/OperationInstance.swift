import Operations
import PipelineLanguage
import RunHistory
import Values

/// One thing with a state of its own in a run: an operation, a handler, or one item of a loop. Its status changes by ``move(to:)`` alone, as the table of
/// transitions allows.
struct OperationInstance {
  let node: OperationNode
  /// The name that is shown: `archive`, or `archive[3]` for an item.
  let name: String
  /// What it is of a loop; nil where it is no item.
  var loopItem: LoopItem?

  private(set) var status = InstanceStatus.pending
  /// That of ``status``, kept beside it: asked for so often that looking into the payload would be felt.
  private(set) var state = RunHistory.OperationState.pending
  /// What the latest attempt that succeeded has come to, until the operation ends: rounds of a repetition see its result.
  var latest = SettledResult()
  /// The number of the latest attempt, over all hosts of the run.
  var attempts = 0
  var attempt: AttemptRecord?
  /// Why there is no further attempt, once that was decided.
  var notRetried: OperationReason.NotRetried?
  /// Whether the history may name the log files of the attempt that goes on.
  var areLogsNamed = false
  var timing = InstanceTiming()
  /// What opened its gate, and since when it had waited for that.
  var opened: OpenedGate?
  /// What a later run may take it over by.
  var fingerprint: String?
  var turn = Turn()

  /// One item of a loop: which loop, which place in it, its value, and the label that the loop gives it.
  struct LoopItem {
    let parent: Int
    let index: Int
    var value: JSONValue
    var label: String?
    /// Its text as the history keeps it, where making that takes long.
    var recorded: String?
  }

  /// What it holds of what an attempt needs.
  struct Turn {
    /// Whether the slot for the first attempt is already taken.
    var hasSlot = false
    /// Whether it has its slot, and the workspace is asked for the rest of what it needs.
    var isTaking = false
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

  /// Moves to another status. False where the table of transitions, ``RunHistory/OperationState/mayBecome(_:)``, does not have that: then nothing changes.
  ///
  /// What waits between two attempts keeps the failure of the first.
  @inline(never)
  mutating func move(to next: InstanceStatus) -> Bool {
    guard state.mayBecome(next.state) else { return false }
    status = next.keeping(status.failure)
    state = next.state
    if state.isFinal { latest = SettledResult() }
    return true
  }

  /// Has the status that a former host has recorded.
  mutating func restore(_ recorded: InstanceStatus) {
    status = recorded
    state = recorded.state
  }

  /// Tells what it consists of while it runs.
  mutating func explain(_ reason: OperationReason) {
    if case .running = status { status = .running(reason) }
  }

  /// Why it is in its state.
  var reason: OperationReason? { status.reason }
  /// What it failed with, or would be retried after.
  var failure: OperationFailure? { status.failure }
  /// What expressions find of its result.
  var result: OperationResult { status.settled?.result ?? latest.result }
  var recordedResult: RecordedResult { status.settled?.recorded ?? latest.recorded }
  /// What was kept of its files.
  var artifacts: [KeptArtifact] { status.settled?.artifacts ?? [] }

  /// What dependents see.
  var outcome: DependencyOutcomeKind {
    switch status {
    case .succeeded(let settled, _), .reused(let settled, _, _):
      settled.result.isPresent ? .succeeded : .succeededWithoutResult
    case .failed: node.definition.allowFailure ? .failedAllowed : .failed
    case .skipped: .skipped
    case .cancelled, .pending, .waiting, .running, .retrying: .cancelled
    }
  }
}
