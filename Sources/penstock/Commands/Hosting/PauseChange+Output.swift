import PipelineLanguage
import RunHistory
import Values

extension PauseChange {
  /// What has changed, for people: `Paused backup until 06:00:00.`, or what the pause was before.
  func words(at now: RecordTime) -> String {
    let name = TerminalText.visible(pause.pipeline)
    let unpause = CommandHint.command("penstock unpause \(ShellText.quoted(pause.pipeline))")
    let command = "`\(TerminalText.visible(unpause))`"
    func end(of pause: Pause) -> String { pause.until.map { ClockText.moment($0, seenFrom: now) } ?? command }
    guard let former else { return "Paused \(name) until \(end(of: pause))." }
    let person = former.who.map { " by \(TerminalText.visible($0))" } ?? ""
    guard former.until != pause.until || former.reason != pause.reason else {
      return "\(name) was already paused\(person) until \(end(of: pause))."
    }
    func reason(of pause: Pause) -> String {
      guard former.reason != self.pause.reason, let reason = pause.reason else { return "" }
      return ": \(TerminalText.oneLine(reason))"
    }
    return
      "\(name) was paused\(person) until \(end(of: former))\(reason(of: former)); it is now paused until \(end(of: pause))\(reason(of: pause))."
  }

  /// The pause as it is now and, under `before`, as it was; null there where the pipeline was not paused.
  func jsonValue() -> JSONValue {
    [
      "pipeline": .string(pause.pipeline), "paused_until": JSONValue(pause.until), "reason": JSONValue(pause.reason),
      "before": former.map {
        ["paused_by": JSONValue($0.who), "paused_until": JSONValue($0.until), "reason": JSONValue($0.reason)]
      } ?? .null,
    ]
  }
}
