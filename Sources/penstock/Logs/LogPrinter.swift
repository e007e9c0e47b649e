import OrderedCollections
import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// Prints what comes out of log files, line by line or as it is. What comes from another item of the selected loop than before has a heading above it.
final class LogPrinter {
  /// Whether each line begins with the operation's name; that of a nested run does in any case.
  private let isPrefixed: Bool
  private let isJSON: Bool
  private let isRaw: Bool
  private let style: Style
  private let showsAttempts: Bool
  /// Whose output was printed last, of several items.
  private var latest: Heading?
  private var endsWithLine = true
  private(set) var hasPrinted = false
  /// What has come of a line that is not complete, by its source.
  private var partial: [LogSource: [UInt8]] = [:]

  /// A line that goes on for longer is shown in parts: a program may never end it.
  private static let longestLine = 1 << 16

  private struct Heading: Equatable {
    let run: RunID
    let name: String
    let attempt: Int
  }

  init(isPrefixed: Bool, isJSON: Bool, isRaw: Bool, showsAttempts: Bool, style: Style) {
    self.showsAttempts = showsAttempts
    self.isPrefixed = isPrefixed
    self.isJSON = isJSON
    self.isRaw = isRaw
    self.style = style
  }

  func print(_ bytes: ArraySlice<UInt8>, from source: LogSource) {
    guard !bytes.isEmpty else { return }
    hasPrinted = true
    if isRaw, !isPrefixed, !source.isBelow, !isJSON {
      printHeading(of: source)
      endsWithLine = bytes.last == 0x0A
      TextOutput.standard.write(Array(bytes))
      return
    }
    var line = partial.removeValue(forKey: source) ?? []
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      line += rest[..<end]
      printLine(line, from: source)
      line.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    line += rest
    if line.count > Self.longestLine {
      printLine(line, from: source)
    } else if !line.isEmpty {
      partial[source] = line
    }
  }

  /// Prints what is left of a line that its program did not end.
  func finish(_ source: LogSource) {
    if let line = partial.removeValue(forKey: source) { printLine(line, from: source) }
  }

  private func printLine(_ line: [UInt8], from source: LogSource) {
    let text = String(decoding: line, as: UTF8.self)
    if isJSON {
      var object: OrderedDictionary<String, JSONValue> = [
        "run": .string(source.run.text), "operation": .string(source.name), "attempt": .int(Int64(source.attempt)),
        "stream": .string(source.stream.rawValue), "text": .string(text),
      ]
      if let label = source.label { object["label"] = .string(label) }
      return TextOutput.standard.writeLine(JSONValue.object(object))
    }
    printHeading(of: source)
    let shown = isRaw ? text : LogTail.visible(text)
    guard isPrefixed || source.isBelow else { return TextOutput.standard.writeLine(shown) }
    let isError = source.stream == .standardError
    let mark = isError ? "!" : "|"
    TextOutput.standard.writeLine(
      "\(style.paint(TerminalText.name(source.name, label: source.label), .cyan)) \(style.paint(mark, isError ? .red : .dim)) \(shown)"
    )
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
