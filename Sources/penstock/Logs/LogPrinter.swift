import OrderedCollections
import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// Prints the contents of log files, line by line or unchanged, with times if requested. When the item of the selected loop changes, a heading is printed.
final class LogPrinter {
  /// Whether each line begins with the operation's name; those of nested runs always do.
  private let isPrefixed: Bool
  private let isJSON: Bool
  private let isRaw: Bool
  /// Whether each line begins with its time.
  private let isTimed: Bool
  private let style: Style
  private let showsAttempts: Bool
  /// The item whose output was printed last.
  private var latest: Heading?
  private var endsWithLine = true
  private(set) var hasPrinted = false

  private struct Heading: Equatable {
    let run: RunID
    let name: String
    let attempt: Int
  }

  init(isPrefixed: Bool, isJSON: Bool, isRaw: Bool, isTimed: Bool, showsAttempts: Bool, style: Style) {
    self.isTimed = isTimed
    self.showsAttempts = showsAttempts
    self.isPrefixed = isPrefixed
    self.isJSON = isJSON
    self.isRaw = isRaw
    self.style = style
  }

  /// Whether a log without others beside it may be printed unchanged.
  var takesBytes: Bool { isRaw && !isPrefixed && !isJSON && !isTimed }
  /// Whether lines need the time at which they were written.
  var showsTimes: Bool { isTimed || isJSON }

  /// Prints a part of a log unchanged.
  func print(_ bytes: ArraySlice<UInt8>, from source: LogSource) {
    guard !bytes.isEmpty else { return }
    hasPrinted = true
    printHeading(of: source)
    endsWithLine = bytes.last == 0x0A
    TextOutput.standard.write(Array(bytes))
  }

  /// Prints a line, with the time at which it was written, if known.
  func print(_ line: LogLines.Line, from source: LogSource, at time: RecordTime?) {
    hasPrinted = true
    if takesBytes, !source.isBelow {
      printHeading(of: source)
      endsWithLine = line.isEnded
      return TextOutput.standard.write(Array(line.bytes) + (line.isEnded ? [0x0A] : []))
    }
    let text = String(decoding: line.bytes, as: UTF8.self)
    if isJSON {
      var object: OrderedDictionary<String, JSONValue> = [
        "run": .string(source.run.text), "operation": .string(source.name), "attempt": .int(Int64(source.attempt)),
        "stream": .string(source.stream.rawValue), "text": .string(text),
      ]
      if let label = source.label { object["label"] = .string(label) }
      if let time { object["time"] = .string(time.text) }
      return TextOutput.standard.writeLine(JSONValue.object(object))
    }
    printHeading(of: source)
    let shown = isRaw ? text : LogTail.visible(text)
    TextOutput.standard.writeLine((isTimed ? stamp(time) + " " : "") + prefix(of: source) + shown)
  }

  /// Returns the time stamp of a line; an unknown time has the same width.
  private func stamp(_ time: RecordTime?) -> String {
    let width = ClockText.exact(RecordTime(microseconds: 0)).count
    return style.paint(time.map { ClockText.exact($0) } ?? "-" + String(repeating: " ", count: width - 1), .dim)
  }

  private func prefix(of source: LogSource) -> String {
    guard isPrefixed || source.isBelow else { return "" }
    let isError = source.stream == .standardError
    let name = style.paint(TerminalText.name(source.name, label: source.label), .cyan)
    return "\(name) \(style.paint(isError ? "!" : "|", isError ? .red : .dim)) "
  }

  private func printHeading(of source: LogSource) {
    guard source.isOneOfSeveral, !source.isBelow, !isPrefixed, !isJSON else { return }
    let heading = Heading(run: source.run, name: source.name, attempt: source.attempt)
    guard heading != latest else { return }
    let text =
      TerminalText.name(source.name, label: source.label) + (showsAttempts ? " (attempt \(source.attempt))" : "")
    let gap = latest == nil ? "" : endsWithLine ? "\n" : "\n\n"
    latest = heading
    endsWithLine = true
    TextOutput.standard.writeLine(gap + style.paint(text, .bold))
  }
}
