import Operations
import PipelineLanguage
import RunHistory
import Values

/// One thing with its own state in a run: an operation, a handler, or one item of a loop. Its status changes only through ``move(to:)``, as the
/// transition table allows.
struct OperationInstance {
  let node: OperationNode
  /// The displayed name: `archive`, or `archive[3]` for an item.
  let name: String
  /// Its place in a loop; nil if it is not an item.
  var loopItem: LoopItem?

  private(set) var status = InstanceStatus.pending
  /// The state of ``status``, stored separately because it is read so often that inspecting the enum payload would be measurable.
  private(set) var state = RunHistory.OperationState.pending
  /// The outcome of the latest successful attempt, until the operation ends. Rounds of a repetition see its result.
  var latest = SettledResult()
  /// The number of the latest attempt, over all hosts of the run.
  var attempts = 0
  var attempt: AttemptRecord?
  /// Why there is no further attempt, once that is decided.
  var notRetried: OperationReason.NotRetried?
  /// Whether the history may refer to the log files of the running attempt.
  var areLogsNamed = false
  var timing = InstanceTiming()
  /// What opened its gate, and since when it had waited for that.
  var opened: OpenedGate?
  /// The fingerprint by which a later run may reuse it.
  var fingerprint: String?
  var turn = Turn()

  /// One item of a loop: the loop, its index, its value, and the label that the loop gives it.
  struct LoopItem {
    let parent: Int
    let index: Int
    var value: JSONValue
    var label: String?
    /// The item's text as the history keeps it, if computing it takes long.
    var recorded: String?
  }

  /// What it holds of what an attempt needs.
  struct Turn {
    /// Whether the slot for the first attempt is already taken.
    var hasSlot = false
    /// Whether it has its slot and is acquiring the rest of what it needs from the workspace.
    var isTaking = false
    /// Whether it is being prepared before it has a slot.
    var isEarly = false
    /// Whether its attempt's slot was released when its process ended.
    var hasReleased = false
    /// Whether its own task has started, which will run it to its end.
    var hasBegun = false
  }

  /// The loop that it is an item of.
  var parent: Int? { loopItem?.parent }
  /// The value of the item.
  var item: JSONValue? { loopItem?.value }
  /// The name, followed by the item's label: `convert[136] orders-0137.csv`.
  var title: String {
    TerminalText.name(name, label: loopItem.flatMap { $0.label ?? ItemLabel.text(of: $0.value) })
  }

  init(node: OperationNode, name: String, loopItem: LoopItem? = nil) {
    self.node = node
    self.name = name
    self.loopItem = loopItem
  }

  /// Moves to another status. Returns false and changes nothing if the transition table, ``RunHistory/OperationState/mayBecome(_:)``, does not allow that.
  ///
  /// While it waits between two attempts, it keeps the failure of the first.
  @inline(never)
  mutating func move(to next: InstanceStatus) -> Bool {
    guard state.mayBecome(next.state) else { return false }
    status = next.keeping(status.failure)
    state = next.state
    if state.isFinal { latest = SettledResult() }
    return true
  }

  /// Sets the status that a former host recorded.
  mutating func restore(_ recorded: InstanceStatus) {
    status = recorded
    state = recorded.state
  }

  /// Sets what it consists of while it runs.
  mutating func explain(_ reason: OperationReason) {
    if case .running = status { status = .running(reason) }
  }

  /// The reason for its state.
  var reason: OperationReason? { status.reason }
  /// The failure that it ended with, or that precedes its retry.
  var failure: OperationFailure? { status.failure }
  /// The result that expressions see.
  var result: OperationResult { status.settled?.result ?? latest.result }
  var recordedResult: RecordedResult { status.settled?.recorded ?? latest.recorded }
  /// The artifacts that it kept.
  var artifacts: [KeptArtifact] { status.settled?.artifacts ?? [] }

  /// The outcome that dependents see.
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
