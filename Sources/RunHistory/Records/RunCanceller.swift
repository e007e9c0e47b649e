/// The person or process that cancelled a run, and by which means.
public struct RunCanceller: Sendable, Hashable {
  /// How a run was cancelled. Any word is allowed, because later versions have other ones.
  public struct Means: RawRepresentable, Sendable, Hashable {
    /// The word that is stored.
    public let rawValue: String

    /// Creates a means from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A person pressed Ctrl-C on the terminal of the host.
    public static let terminal = Means(rawValue: "ctrl-c")
    /// A person ran `penstock cancel`.
    public static let command = Means(rawValue: "cancel")
    /// A person ran `penstock cancel --kill`.
    public static let kill = Means(rawValue: "kill")
    /// Another run of the pipeline began, and the pipeline has `overlap: cancel`.
    public static let overlap = Means(rawValue: "overlap")
    /// The run timed out.
    public static let timeout = Means(rawValue: "timeout")
    /// The condition of `rerun_on_change` that began the run became false.
    public static let condition = Means(rawValue: "condition")
    /// The host was drained, and its time limit for that passed.
    public static let drain = Means(rawValue: "drain")
    /// The operation that started the run was cancelled.
    public static let parent = Means(rawValue: "parent")

    /// The host received a signal, such as `SIGTERM`.
    public static func signal(_ name: String) -> Means { Means(rawValue: name) }
  }

  /// The login name of a person, or the id of a run; nil if unknown, or if there is none.
  public var who: String?
  /// The means.
  public var means: Means

  /// Creates a canceller.
  public init(who: String? = nil, means: Means) {
    self.who = who
    self.means = means
  }
}

extension RunCanceller {
  /// Parses the columns `cancelled_by` and `cancelled_with`; nil if they are empty.
  init?(who: String?, means: String?) {
    guard let means else { return nil }
    self.init(who: who, means: Means(rawValue: means))
  }

  /// The name of the signal; nil if there was none.
  package var signal: String? { means.rawValue.hasPrefix("SIG") ? means.rawValue : nil }

  /// Whether its host was ended by a signal that no key sends, as when the computer is shut down or a terminal is closed: then the cancellation was
  /// not intended.
  package var isSignalOfSystem: Bool { [Means.signal("SIGTERM"), .signal("SIGHUP")].contains(means) }

  /// The words that follow "cancelled": `by ada with Ctrl-C`; all of ``words`` if they do not begin with that word.
  package var wordsBehindState: String {
    let state = RunState.cancelled.rawValue + " "
    return words.hasPrefix(state) ? String(words.dropFirst(state.count)) : words
  }

  /// What happened to the run: `cancelled by ada with Ctrl-C`, `replaced by run 2qb2jmf9`. It may contain any characters.
  package var words: String {
    let person = who.map { " by \($0)" } ?? ""
    let run = who.map { RunID($0)?.short ?? $0 }
    switch means {
    case .terminal: return "cancelled\(person) with Ctrl-C"
    case .command: return "cancelled\(person) with 'penstock cancel'"
    case .kill: return "cancelled\(person) with 'penstock cancel --kill'"
    case .overlap: return "replaced by " + (run.map { "run \($0)" } ?? "another run")
    case .timeout: return "cancelled by its timeout"
    case .parent: return "cancelled by its parent run" + (run.map { " \($0)" } ?? "")
    case .drain: return "cancelled\(person) when its host drained"
    case .condition: return "cancelled because its 'rerun_on_change' turned false"
    default:
      return signal.map { "cancelled by the signal \($0)" } ?? "cancelled by \(means.rawValue)"
    }
  }
}
