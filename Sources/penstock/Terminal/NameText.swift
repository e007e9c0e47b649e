import PipelineLanguage

/// The name of an operation, or of an item with its number and label, for a column. If space is short, the operation's name is truncated first, since
/// all items share it, then the label; the number is never truncated.
struct NameText: Equatable {
  /// The name of the operation, as visible text; empty for an item below its operation.
  let operation: String
  /// The number of an item in brackets, `[*]` for all items, or empty.
  let number: String
  let label: String?
  let indentation: Int

  /// The minimum width of an operation's name beside a label.
  private static let shortestOperation = 4
  /// The minimum width of a label; a shorter one would be meaningless.
  private static let shortestLabel = 4

  /// Creates a name from that of an instance, such as `build[1]`. An item below its operation is shown by its number and label only.
  init(_ name: String, label: String?, indentation: Int = 0, isBelowOperation: Bool = false) {
    let visible = TerminalText.visible(name)
    let number = Self.number(endOf: visible)
    operation = isBelowOperation && !number.isEmpty ? "" : String(visible.dropLast(number.count))
    self.number = number
    self.label = label.map { TerminalText.label($0) }
    self.indentation = indentation
  }

  /// Fits a table cell to `width` columns: spaces, and a name whose number may be followed by a label.
  static func fitted(cell: String, width: Int) -> String {
    guard cell.utf8.count > width, TerminalText.width(of: cell) > width else { return cell }
    return NameText(cell: cell).fitted(width: width)
  }

  /// Parses the text of a cell.
  init(cell: String) {
    let blanks = cell.prefix { $0 == " " }.count
    let text = cell.dropFirst(blanks)
    var end = text.startIndex
    while let bracket = text[end...].firstIndex(of: "]") {
      end = text.index(after: bracket)
      guard end == text.endIndex || text[end] == " ", !Self.number(endOf: String(text[..<end])).isEmpty else {
        continue
      }
      let label = text[end...].dropFirst()
      self.init(String(text[..<end]), label: label.isEmpty ? nil : String(label), indentation: blanks)
      return
    }
    self.init(String(text), label: nil, indentation: blanks)
  }

  private static func number(endOf name: String) -> String {
    guard name.hasSuffix("]"), let start = name.lastIndex(of: "[") else { return "" }
    let inside = name[start...].dropFirst().dropLast()
    guard !inside.isEmpty, inside == "*" || inside.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return "" }
    return String(name[start...])
  }

  /// The complete text.
  var text: String { String(repeating: " ", count: indentation) + operation + number + (label.map { " \($0)" } ?? "") }

  /// The width of the complete text, in columns.
  var width: Int { TerminalText.width(of: text) }

  /// Returns as much of it as fits.
  func fitted(width: Int) -> String {
    let text = text
    guard TerminalText.width(of: text) > width else { return text }
    let room = width - indentation - number.count
    guard room >= min(1, operation.count) else {
      // Only the number.
      let blanks = String(repeating: " ", count: max(0, min(indentation, width - number.count)))
      return TerminalText.fitted(blanks + (number.isEmpty ? operation : number), width: width)
    }
    let blanks = String(repeating: " ", count: indentation)
    if let label {
      let operationWidth = TerminalText.width(of: operation)
      let labelWidth = TerminalText.width(of: label)
      let least = number.isEmpty ? operationWidth : min(operationWidth, Self.shortestOperation)
      let shown = min(labelWidth, room - 1 - least)
      if shown >= min(labelWidth, Self.shortestLabel) {
        let shownOperation = TerminalText.fitted(operation, width: room - 1 - shown)
        return "\(blanks)\(shownOperation)\(number) \(TerminalText.label(label, width: shown))"
      }
    }
    return blanks + TerminalText.fitted(operation, width: room) + number
  }
}
