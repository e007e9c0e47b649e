import RunHistory
import RunReports

/// The glyph and color of each state.
enum StatePaint {
  static func of(_ state: OperationState) -> Style.Paint? {
    switch state {
    case .pending: .dim
    case .waiting: .yellow
    case .running: .cyan
    case .retrying: .yellow
    case .succeeded, .reused: .green
    case .failed: .boldRed
    case .cancelled: .magenta
    case .skipped: .dim
    }
  }

  static func of(_ state: RunState) -> Style.Paint? {
    switch state {
    case .queued: .yellow
    case .running: .cyan
    case .succeeded: .green
    case .failed: .boldRed
    case .cancelled, .interrupted: .magenta
    }
  }

  /// One column wide.
  static func glyph(_ state: OperationState, isUnicode: Bool) -> String {
    switch state {
    case .pending: isUnicode ? "·" : "."
    case .waiting: isUnicode ? "◌" : "~"
    case .running: isUnicode ? "●" : "*"
    case .retrying: isUnicode ? "↻" : "r"
    case .succeeded: isUnicode ? "✓" : "+"
    case .failed: isUnicode ? "✗" : "x"
    case .cancelled: isUnicode ? "⊘" : "!"
    case .skipped: isUnicode ? "–" : "-"
    case .reused: isUnicode ? "≡" : "="
    }
  }

  /// One column wide.
  static func glyph(_ state: RunState, isUnicode: Bool) -> String {
    switch state {
    case .queued: glyph(OperationState.waiting, isUnicode: isUnicode)
    case .running: glyph(OperationState.running, isUnicode: isUnicode)
    case .succeeded: glyph(OperationState.succeeded, isUnicode: isUnicode)
    case .failed: glyph(OperationState.failed, isUnicode: isUnicode)
    case .cancelled: glyph(OperationState.cancelled, isUnicode: isUnicode)
    case .interrupted: isUnicode ? "–" : "?"
    }
  }

  /// The meanings of the glyphs of runs, ASCII glyphs first: `+ or ✓ succeeded`.
  static let legend = RunState.allCases.map { state in
    "\(glyph(state, isUnicode: false)) or \(glyph(state, isUnicode: true)) \(state.rawValue)"
  }.joined(separator: ", ")

  /// Returns the paint of a cell that contains the name of a state.
  static func ofWord(_ word: String) -> Style.Paint? {
    if word == StateReason.notRun { return of(OperationState.cancelled) }
    if let state = OperationState(rawValue: word) { return of(state) }
    return RunState(rawValue: word).flatMap { of($0) }
  }
}
