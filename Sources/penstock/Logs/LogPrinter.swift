import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// Prints what comes out of log files, line by line or as it is.
final class LogPrinter {
  /// Whether each line begins with the operation's name; that of a nested run does in any case.
  private let isPrefixed: Bool
  private let isJSON: Bool
  private let isRaw: Bool
  private let style: Style
  private(set) var hasPrinted = false
  /// What has come of a line that is not complete, by its source.
  private var partial: [LogSource: [UInt8]] = [:]

  /// A line that goes on for longer is shown in parts: a program may never end it.
  private static let longestLine = 1 << 16

  init(isPrefixed: Bool, isJSON: Bool, isRaw: Bool, style: Style) {
    self.isPrefixed = isPrefixed
    self.isJSON = isJSON
    self.isRaw = isRaw
    self.style = style
  }

  func print(_ bytes: ArraySlice<UInt8>, from source: LogSource) {
    guard !bytes.isEmpty else { return }
    hasPrinted = true
    if isRaw, !isPrefixed, !source.isBelow, !isJSON {
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
      TextOutput.standard.writeLine(
        JSONValue.object([
          "run": .string(source.run.text), "operation": .string(source.name), "attempt": .int(Int64(source.attempt)),
          "stream": .string(source.stream.rawValue), "text": .string(text),
        ]))
      return
    }
    let shown = isRaw ? text : LogTail.visible(text)
    guard isPrefixed || source.isBelow else { return TextOutput.standard.writeLine(shown) }
    let isError = source.stream == .standardError
    let mark = isError ? "!" : "|"
    TextOutput.standard.writeLine(
      "\(style.paint(TerminalText.visible(source.name), .cyan)) \(style.paint(mark, isError ? .red : .dim)) \(shown)")
  }
}
